/** The vendor's looks and links on the pages. */
export interface Brand {
  /** `#rrggbb`. */
  color?: string;
  logoUrl?: string;
  supportUrl?: string;
  privacyUrl?: string;
}
