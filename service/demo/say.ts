let step = 0;

/** Prints what has just been done, numbered. */
export const say = (text: string) => console.log(`${String(++step).padStart(2)}. ${text}`);
