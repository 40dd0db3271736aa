/** The sandbox's settings from `npm run test:unknowns`, in the form of `PUT /sandbox/settings`. */
export const SETTINGS: unknown = JSON.parse(process.env.SANDBOX_SETTINGS ?? "{}");
