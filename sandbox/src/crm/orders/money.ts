// Sums are kept in the currency's units and reckoned in whole cents.

export const cents = (value: unknown): number => Math.round(Number(value ?? 0) * 100);
export const money = (amount: number): number => Math.round(amount) / 100;
