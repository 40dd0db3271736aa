/** `npm run test:long`: the long form of a suite that has two. */
export const LONG = process.env.LONG === "1";
