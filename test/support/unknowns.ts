/**
 * The sandbox's settings from `npm run test:unknowns`, in the form of `PUT /sandbox/settings`. Without the CRM's rate: tests
 * connect again and again within a second.
 */
export const SETTINGS: unknown = { crmPerSecond: 0, ...JSON.parse(process.env.SANDBOX_SETTINGS ?? "{}") };
