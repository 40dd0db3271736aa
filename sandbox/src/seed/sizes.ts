/** What a shop has that is made here. */
export interface Size {
  products: number;
  customers: number;
  orders: number;
  /** How far back histories go: all of the large shop's would fill the memory. */
  days: number;
}
export const SEEDS = ["small", "large"] as const;
export type Seed = (typeof SEEDS)[number];
export const SIZES: Record<Seed, Size> = {
  small: { products: 200, customers: 500, orders: 1_000, days: 730 },
  large: { products: 2_000, customers: 100_000, orders: 300_000, days: 3 },
};
