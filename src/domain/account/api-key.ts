/** Rights of a CRM's API keys, by the CRM's codes. */
export type Scope = "integration_read" | "integration_write" | "settings_read" | "notification_write";

/** A right that the module uses. */
export interface Right {
  scope: Scope;
  given: boolean;
  /** Without it the module cannot be connected; the others only make it better. */
  required: boolean;
}

/** The CRM's page of API keys, for its users (documentation of the gem retailcrm-api: Requirements). */
export const apiKeysPage = (crmUrl: string): string => `${crmUrl}/admin/api-keys`;
