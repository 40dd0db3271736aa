import type { Order } from "../model.ts";

// The CRM's records as its API shows them, and what the sandbox answers for a chat.

export interface Address {
  index?: string;
  countryIso?: string;
  region?: string;
  city?: string;
  street?: string;
  building?: string;
  flat?: string;
  text?: string;
}
/** A person, or a corporate customer. */
export interface Customer {
  type?: string;
  id: number;
  /** Of a corporate customer. */
  nickName?: string;
  mainCompany?: { name?: string };
  mainAddress?: { name?: string };
  externalId?: string;
  firstName?: string;
  lastName?: string;
  patronymic?: string;
  phones?: { number?: string }[];
  email?: string;
  address?: Address;
  birthday?: string;
  sex?: string;
  vip?: boolean;
  bad?: boolean;
  managerId?: number;
  tags?: { name: string }[];
  segments?: { code: string; name?: string }[];
  ordersCount?: number;
  totalSumm?: number;
  averageSumm?: number;
  customFields?: Record<string, unknown>;
  mgCustomers?: { id: number }[];
}
export interface CustomerChat {
  id: number;
  name?: string;
  channel: { type: string; name: string };
}
export interface Note {
  id: number;
  text: string;
  managerId?: number;
  createdAt: string;
}
export interface Task {
  id: number;
  text: string;
  complete: boolean;
  datetime?: string;
  performer?: number;
  /** Oldest first. */
  comments: Comment[];
}
export interface Comment {
  id: number;
  text: string;
  creator: number;
  createdAt: string;
}
export interface CustomerOrder {
  id: number;
  status: string;
  card: Order;
}
/** Of a chat; empty where its customer is not in the CRM. */
export interface Records {
  customer?: Customer;
  /** The people who act for a corporate customer. */
  contacts?: Customer[];
  chats?: CustomerChat[];
  notes?: Note[];
  tasks?: Task[];
  orders?: CustomerOrder[];
}

/** What the chat's module knows of the customer on the shop's site; empty where it knows nothing. Times as in the CRM. */
export interface Visit {
  /** The CRM's time. */
  now?: string;
  online?: { lastOnline: string };
  visits?: {
    utm?: { source: string; medium: string; campaign: string };
    device: { lang: string; browser: string; os: string };
    lastVisit: {
      createdAt: string;
      endedAt?: string;
      source: string;
      /** Oldest first. */
      pages: { dateTime: string; title?: string; url: string }[];
    };
    countVisits: number;
  };
}

export interface Change {
  id: number;
  createdAt: string;
  field: string;
  oldValue: unknown;
  newValue: unknown;
  created?: boolean;
  deleted?: boolean;
  of: number;
  source: string;
  /** The CRM's id. */
  user?: number;
  more?: { combinedTo?: { id: number } };
}

export interface CustomField {
  entity: string;
  code: string;
  name: string;
  type: string;
  dictionary?: string;
}
export interface Dictionary {
  code: string;
  elements?: { code: string; name: string }[];
}
export interface User {
  id: number;
  firstName?: string;
  lastName?: string;
  active?: boolean;
}
export interface Named {
  code: string;
  name: string;
}
