declare module "node-retailcrm-api" {
  interface Response {
    isSuccessful(): boolean;
    statusCode(): number;
    errorMsg(): string;
    getFromBody(field: string): unknown;
  }
  type Method = (...parameters: unknown[]) => Promise<Response>;
  type Section = Record<string, Method>;
  export default function RetailCRM(settings: {
    url: string;
    apiKey: string;
    siteCode?: string;
  }): Record<string, Section>;
}
