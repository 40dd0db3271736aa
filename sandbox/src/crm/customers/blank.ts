/** What answers show of who never ordered (recorded). */
export const NO_ORDERS = { marginSumm: 0, totalSumm: 0, averageSumm: 0, ordersCount: 0 };
/** What they show of a new customer, corporate or not (recorded). */
export const BLANK_PARTY = { ...NO_ORDERS, customFields: [], personalDiscount: 0, cumulativeDiscount: 0 };
