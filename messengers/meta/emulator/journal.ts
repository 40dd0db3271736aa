const SECRETS = [
  "access_token",
  "client_secret",
  "fb_exchange_token",
  "input_token",
  "verify_token",
  "hub.verify_token",
  "code",
];

export const withoutSecrets = <Value>(fields: Record<string, Value>): Record<string, Value | string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, SECRETS.includes(name) ? "***" : value]));
