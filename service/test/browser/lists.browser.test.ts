/** Long lists: sorted by a column, filtered, and where Back leads. */
import { expect, it } from '@jest/globals';
import { describeInBrowser, settle, useChromium } from './chromium.js';
import { addUser } from './people.js';

describeInBrowser('Lists, in a browser', () => {
  const stage = useChromium();

  it('lists are sorted by a column both ways, by the rules of the language, and Back undoes it', async () => {
    const tom = await addUser(stage.world, 'Tom', { role: 'company_admin', lastName: 'Öz' });
    await addUser(stage.world, 'Ida', { lastName: 'Zander' });
    const person = await stage.person({ signedIn: tom });
    const { page } = person;
    await person.go('/company/people');
    const table = page.getByRole('table', { name: 'People' });
    const names = async () => {
      await settle(page);
      return table.getByRole('rowheader').allInnerTexts();
    };
    const header = (name: string) => table.getByRole('columnheader', { name });
    const direction = (name: string) => header(name).getAttribute('aria-sort');
    await table.waitFor();
    expect(await names()).toEqual(['Ende, Cem', 'Kurz, Ben', 'Lang, Ada', 'Öz, Tom', 'Zander, Ida']);
    expect(await direction('Name')).toBe('ascending');
    await header('Name').getByRole('button').click();
    expect(await names()).toEqual(['Zander, Ida', 'Öz, Tom', 'Lang, Ada', 'Kurz, Ben', 'Ende, Cem']);
    expect(await direction('Name')).toBe('descending');
    await header('Department').getByRole('button').click();
    // Without a department last; within one by name.
    expect(await names()).toEqual(['Lang, Ada', 'Ende, Cem', 'Kurz, Ben', 'Öz, Tom', 'Zander, Ida']);
    expect(await direction('Department')).toBe('ascending');
    expect(await direction('Name')).toBe('none');
    await page.goBack();
    expect(await direction('Name')).toBe('descending');
    await page.getByRole('button', { name: 'Left', exact: true }).click();
    await page.getByText('Nobody fits').waitFor();
    await page.goBack();
    expect(await names()).toEqual(['Zander, Ida', 'Öz, Tom', 'Lang, Ada', 'Kurz, Ben', 'Ende, Cem']);
  });
});
