/** What `npm run test:unknowns` sets otherwise at the sandbox, as `PUT /sandbox/settings` takes it. */
export const SETTINGS: unknown = JSON.parse(process.env.SANDBOX_SETTINGS ?? "{}");
