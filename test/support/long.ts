/** The long form of a suite that has two, as `npm run test:long` runs it. */
export const LONG = process.env.LONG === "1";
