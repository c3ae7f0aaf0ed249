// On a phone the contents would come before every page: their groups begin closed.
if (matchMedia('(max-width: 800px)').matches)
  for (const group of document.querySelectorAll('nav details')) group.open = false;

// A button beside each sample that copies it. Without a clipboard (pages over http) there is none.
if (navigator.clipboard !== undefined)
  for (const sample of document.querySelectorAll('main pre')) {
    const frame = document.createElement('div');
    frame.className = 'sample';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(sample.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
    sample.replaceWith(frame);
    frame.append(sample, button);
  }
