/**
 * A value with a name at compile time and nothing at run time. A plain value may be assigned to it, a value of another
 * flavour may not: swapped arguments do not compile, and literals need no cast.
 */
export type Flavoured<T, Name extends string> = T & { readonly __flavour?: Name };

/** As {@link Flavoured}, but a plain value may not be assigned to it: it is made only at its check. */
export type Branded<T, Name extends string> = T & { readonly __brand: Name };
