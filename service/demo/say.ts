let step = 0;

/** Prints the step that has just been done, numbered. */
export const say = (text: string) => console.log(`${String(++step).padStart(2)}. ${text}`);
