/**
 * @returns the number of runs of a property or model test; `make soak NAME=properties` sets PROPERTY_RUNS to do more
 */
export const runs = (count: number): number => count * Number(process.env['PROPERTY_RUNS'] ?? 1);
