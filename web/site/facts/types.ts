import type { Posenc } from 'posenc';

/**
 * A number that prose may print: computed by the kernels of the loaded module from the numbers in
 * the markup, `[0.970]{fact=similarity(128,1)}`.
 */
export type Fact = (pe: Posenc, ...args: number[]) => number;

/** The facts of one chapter by name. */
export type FactTable = Readonly<Record<string, Fact>>;
