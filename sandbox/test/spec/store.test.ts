import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import { type Product, summed } from "../../src/crm/store/product.ts";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

const ROOT = "/api/v5/store";

function shop() {
  const own = account();
  const list = async (path: string, query = "") => {
    const { status, body } = await own.crm("GET", `${ROOT}/${path}${encodeURI(query)}`);
    return { status, body, entries: Object.values(body).find(Array.isArray) as Json[] | undefined };
  };
  /** What identifies each entry found. */
  const found = async (path: string, query: string, by = "id") =>
    (await list(path, query)).entries?.map((entry) => entry[by]);
  const price = (price: object) => own.submit(`${ROOT}/prices/upload`, { prices: [price] });
  const stock = (offer: object, more: object = {}) =>
    own.submit(`${ROOT}/inventories/upload`, { offers: [offer], ...more });
  return { ...own, list, found, price, stock };
}

/** A cap in two colours, of another shop and catalogue; one is out of stock and cheaper by the box. */
const HAT: Product = {
  id: 200,
  externalId: "hat",
  name: "Straw hat",
  article: "HAT-1",
  manufacturer: "Basket makers",
  catalogId: 7,
  classSegment: "A",
  groups: [{ id: 3, externalId: "aboard" }],
  recommended: true,
  stock: true,
  active: false,
  updatedAt: "2026-06-01 12:00:00",
  offers: ["white", "black"].map((colour, n) => ({
    id: 300 + n,
    externalId: `hat-${colour}`,
    xmlId: `xml-${colour}`,
    article: `HAT-1-${colour}`,
    name: `Straw hat, ${colour}`,
    site: "market",
    active: n === 0,
    prices: [
      { priceType: "base", price: 50 + n },
      { priceType: "box", price: 40 },
    ],
    purchasePrice: 20 + n,
    properties: { colour, material: "straw" },
    stores: [{ store: "quay", quantity: 1000 * n }],
  })),
};

function withHat() {
  const own = shop();
  own.world.tables.products.put(summed(HAT, "base"));
  return own;
}

describe("the catalogue", () => {
  it('"GET … /api/v5/store/products … Products. Returns images, groups, unit. Filter filter[properties][]."', async () => {
    const { list, faults } = shop();
    const { entries, body } = await list("products", "?filter[properties][]=canvas");
    expect(entries).toEqual([
      {
        id: 102,
        externalId: "bag-01",
        article: "BAG-01",
        type: "product",
        name: "Deck bag, waxed canvas",
        url: "http://sandbox/shop/bag",
        imageUrl: "http://sandbox/shop/bag.svg",
        description: "Holds 30 litres and keeps them dry.",
        manufacturer: "Quay & Co.",
        popular: false,
        novelty: false,
        stock: false,
        recommended: false,
        markable: false,
        active: true,
        groups: [
          { id: 1, externalId: "quay" },
          { id: 3, externalId: "aboard" },
        ],
        offers: [
          {
            id: 102,
            externalId: "bag-01",
            xmlId: "bag-01",
            name: "Deck bag, waxed canvas",
            article: "BAG-01",
            images: ["http://sandbox/shop/bag.svg"],
            price: 89.5,
            prices: [{ priceType: "base", price: 89.5, ordering: 10, currency: "EUR" }],
            purchasePrice: 53.7,
            vatRate: "none",
            properties: { material: "canvas", colour: "tan" },
            active: true,
            unit: { code: "pc", name: "Piece", sym: "pc" },
            site: "shop",
            quantity: 12,
          },
        ],
        minPrice: 89.5,
        maxPrice: 89.5,
        quantity: 12,
        updatedAt: "2026-05-01 10:00:00",
      },
    ]);
    expect(body.pagination).toEqual({ limit: 20, totalCount: 1, currentPage: 1, totalPageCount: 1 });
    expect(faults()).toEqual([]);
  });

  it('"products[][offers][][images][] … R … Images attached to the trade offer.": pictures', async () => {
    const { list, sandbox } = shop();
    const [product] = (await list("products")).entries ?? [];
    const [image] = (product?.offers as { images: string[] }[] | undefined)?.[0]?.images ?? [];
    const answer = await sandbox.fetch(new Request(String(image)), {});
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(await answer.text()).toContain("Three-strand rope, 12 mm");
  });

  it('"products[][offers][][unit] … R … Unit of measurement of the offer.": follows the dictionary', async () => {
    const { list, submit } = shop();
    await submit("/api/v5/reference/units/m/edit", { unit: { name: "Fathom", sym: "fm" } });
    const [rope] = (await list("products", "?filter[ids][]=101")).entries ?? [];
    expect(rope).toMatchObject({ offers: [{ unit: { code: "m", name: "Fathom", sym: "fm" } }] });
  });

  it('"products[][groups][] … R … Identifiers of the product groups the product belongs to." / "/api/v5/store/product-groups … List of catalogue product groups."', async () => {
    const { list, faults } = shop();
    const groups = (await list("product-groups")).body.productGroup as Json[];
    const products = (await list("products")).entries as unknown as Product[];
    const known = groups.map(({ id, externalId }) => ({ id, externalId }));
    for (const product of products) expect(known).toEqual(expect.arrayContaining(product.groups));
    expect(groups[1]).toEqual({
      id: 2,
      externalId: "rigging",
      name: "Rigging",
      parentId: 1,
      site: "shop",
      active: true,
      lvl: 1,
    });
    expect(faults()).toEqual([]);
  });

  it('"/api/v5/store/products/properties … List of properties used in the catalogue.": with the sites and groups that use them', async () => {
    const { list, found, faults } = withHat();
    expect((await list("products/properties", "?filter[code]=colour")).entries).toEqual([
      {
        code: "colour",
        name: "Colour",
        isNumeric: false,
        visible: true,
        variative: true,
        sites: ["shop", "market"],
        groups: [
          { id: 1, name: "Quay & Co." },
          { id: 3, name: "For those aboard" },
        ],
      },
    ]);
    const least = ["diameter", "length", "colour", "material"];
    expect(await found("products/properties", "?sort[offersCount]=asc", "code")).toEqual(least);
    expect((await found("products/properties", "?sort[offersCount]=desc", "code"))?.[0]).toBe("material");
    expect((await list("products/properties", "?sort[offersCount]=up")).status).toBe(400);
    expect(faults()).toEqual([]);
  });

  it("knows a property that nobody described by its code", async () => {
    const { found, world } = withHat();
    world.productProperties.delete("colour");
    expect(await found("products/properties", "?filter[code]=colour", "name")).toEqual(["colour"]);
  });

  it('"filter[properties][] … W (filter) … Selects products having given values of given properties.": by their codes or in any property', async () => {
    const { found, faults } = withHat();
    expect(await found("products", "?filter[properties][colour]=white")).toEqual([200]);
    expect(await found("products", "?filter[properties][material]=white")).toEqual([]);
    expect(await found("products", "?filter[properties][colour]=white&filter[properties][material]=straw")).toEqual([
      200,
    ]);
    expect(await found("products", "?filter[properties][colour]=white&filter[properties][material]=wool")).toEqual([]);
    expect(await found("products", "?filter[properties][]=canvas")).toEqual([102]);
    expect(await found("products", "?filter[properties][0]=white&filter[properties][1]=black")).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it("lists offers with their products", async () => {
    const { list, faults } = withHat();
    const [offer] = (await list("offers", "?filter[ids][]=301")).entries ?? [];
    expect(offer).toMatchObject({
      id: 301,
      price: 51,
      quantity: 1000,
      product: { id: 200, minPrice: 50, maxPrice: 51 },
    });
    expect(offer?.product).not.toHaveProperty("offers");
    expect(faults()).toEqual([]);
  });

  it("keeps its cards and pages for agents", async () => {
    const { asAgent, sandbox } = withHat();
    const cards = (await asAgent("GET", "/products")).body as unknown as Json[];
    expect(cards.map(({ id }) => id)).toEqual([101, 102, 103, 104]);
    expect(cards[1]).toEqual({
      id: 102,
      name: "Deck bag, waxed canvas",
      article: "BAG-01",
      unit: "pc",
      url: "http://sandbox/shop/bag",
      img: "http://sandbox/shop/bag.svg",
      cost: { value: 89.5, currency: "EUR" },
    });
    expect((await asAgent("GET", "/products?search=cleat-1")).body).toMatchObject([{ id: 103 }]);
    const page = await sandbox.fetch(new Request("http://sandbox/shop/bag"), {});
    expect(await page.text()).toContain("BAG-01");
    expect((await sandbox.fetch(new Request("http://sandbox/shop/boat"), {})).status).toBe(404);
  });
});

/** What each filter finds, by list. */
const QUERIES: Record<string, [by: string, Record<string, unknown[]>]> = {
  products: [
    "id",
    {
      "active=0": [200],
      "name=ROPE": [101],
      "minPrice=31": [102, 104, 200],
      "maxPrice=23": [101, 103],
      "minPurchasePrice=21": [102, 200],
      "maxPurchasePrice=3": [101],
      "minQuantity=400": [101, 200],
      "maxQuantity=0": [103],
      "popular=1": [101],
      "stock=1": [200],
      "novelty=true": [104],
      "recommended=1": [200],
      "url=http://sandbox/shop/bag": [102],
      "urlLike=/shop/c": [103, 104],
      "manufacturer=basket": [200],
      "externalId=hat": [200],
      "xmlId=xml-black": [200],
      "classSegment=A": [200],
      "offerIds][]=301": [200],
      "properties][]=tan": [102],
      "properties][colour]=black": [200],
      "offerExternalId=hat-white": [200],
      "offerXmlId=xml-white": [200],
      "groupExternalId=rigging": [101, 103],
      "ids][]=101&filter[ids][]=103": [101, 103],
      "groups][]=3": [102, 104, 200],
      "priceType=box": [200],
      "priceType]=box&filter[minPrice]=41": [],
      "sites][]=market": [200],
      "catalogs][]=7": [200],
      "sinceId=103": [104, 200],
      "sinceUpdatedAt=2026-06-01 12:00:00": [200],
    },
  ],
  offers: [
    "id",
    {
      "ids][]=300": [300],
      "name=hat, b": [301],
      "externalIds][]=hat-black": [301],
      "xmlIds][]=xml-white": [300],
      "properties][]=straw": [300, 301],
      "properties][colour]=white": [300],
      "sites][]=market": [300, 301],
      "catalogs][]=7": [300, 301],
      "active=0": [301],
      "sinceId=104": [300, 301],
      "groups][]=2": [101, 103],
      "priceType=box": [300, 301],
      "minPrice=51": [102, 301],
      "maxPrice=4": [101],
      "priceType]=box&filter[maxPrice]=40": [300, 301],
      "minQuantity=1000": [301],
      "maxQuantity=0": [103, 300],
    },
  ],
  inventories: [
    "id",
    {
      "ids][]=300": [300],
      "productExternalId=hat": [300, 301],
      "productArticle][]=HAT-1": [300, 301],
      "offerExternalId][]=hat-black": [301],
      "offerXmlId][]=xml-white": [300],
      "offerArticle][]=HAT-1-black": [301],
      "productActive=0": [300, 301],
      "offerActive=0": [301],
      "details=1": [101, 102, 103, 104, 300, 301],
      "sites][]=market": [300, 301],
      "catalogs][]=7": [300, 301],
    },
  ],
  "product-groups": [
    "id",
    {
      "active=0": [4],
      "parentGroupId=1": [2, 3],
      "ids][]=2": [2],
      "sites][]=market": [4],
      "catalogs][]=7": [4],
      "minLevel=1": [2, 3, 4],
      "maxLevel=0": [1],
    },
  ],
  "products/properties": [
    "code",
    {
      "name=mm": ["diameter", "length"],
      "code=length": ["length"],
      "visible=0": ["secret"],
      "variative=1": ["colour", "diameter", "length"],
      "sites][]=market": ["material", "colour"],
      "catalogs][]=7": ["material", "colour"],
      "groups][]=2": ["material", "diameter", "length"],
    },
  ],
};

describe.each(Object.entries(QUERIES))("the list of %s", (path, [by, queries]) => {
  const filled = () => {
    const own = withHat();
    own.world.tables.productGroups.put({
      id: 4,
      parentId: 3,
      site: "market",
      catalogId: 7,
      active: false,
      name: "Hats",
    });
    own.world.productProperties.set("secret", { code: "secret", name: "Secret", visible: false });
    own.world.dictionaries.get("sites")?.set("market", { id: 2, code: "market", name: "Market" });
    own.world.dictionaries.get("price-types")?.set("box", { id: 2, code: "box", name: "Box" });
    return own;
  };

  it.each(Object.entries(queries))("finds by %s", async (query, ids) => {
    const { found, faults } = filled();
    expect(await found(path, `?filter[${query.includes("]") ? query : query.replace("=", "]=")}`, by)).toEqual(ids);
    expect(faults()).toEqual([]);
  });

  it("takes every filter of the contract, and 20, 50 or 100 a page", async () => {
    const parameters = servedContract().flatMap(
      ([, { paths }]) => (paths[`${ROOT}/${path}`]?.get?.parameters ?? []) as Json[],
    );
    const filters = parameters.flatMap(({ name }) => /^filter\[(\w+)\]/.exec(String(name))?.[1] ?? []);
    const tried = Object.keys(queries).map((query) => /^\w+/.exec(query)?.[0]);
    expect([...new Set(filters)].filter((filter) => !tried.includes(filter))).toEqual([]);
    const { list } = filled();
    for (const limit of [20, 50, 100]) expect((await list(path, `?limit=${limit}`)).status).toBe(200);
    expect((await list(path, "?limit=10")).body.errors).toEqual({ "children[limit]": "This value is not valid." });
  });
});

describe("product groups", () => {
  const groups = () => {
    const own = shop();
    const create = (productGroup: object) => own.submit(`${ROOT}/product-groups/create`, { productGroup });
    const edit = (key: unknown, productGroup: object, more: Record<string, string> = {}) =>
      own.crm("POST", `${ROOT}/product-groups/${key}/edit`, { productGroup: JSON.stringify(productGroup), ...more });
    const read = async (id: unknown) => (await own.list("product-groups", `?filter[ids][]=${id}`)).entries?.[0];
    return { ...own, create, edit, read };
  };

  it("are created below others and edited by either id", async () => {
    const { create, edit, read, faults } = groups();
    const { status, body } = await create({ name: "Knots", externalId: "knots", parentExternalId: "rigging" });
    expect([status, body]).toEqual([201, { success: true, id: expect.any(Number) }]);
    const created = { id: body.id, name: "Knots", externalId: "knots", active: true, site: "shop", lvl: 2 };
    expect(await read(body.id)).toEqual({ ...created, parentId: 2, parentExternalId: "rigging" });
    expect((await edit("knots", { active: false }, { site: "shop" })).body).toEqual({ success: true, id: body.id });
    expect((await edit(body.id, { parentId: 1 }, { by: "id" })).status).toBe(200);
    expect(await read(body.id)).toMatchObject({ active: false, parentId: 1, parentExternalId: "quay", lvl: 1 });
    expect(faults()).toEqual([]);
  });

  it.each([
    [{ name: undefined }, "name", "This value should not be blank."],
    [{ externalId: "quay" }, "externalId", "This value is already used."],
    [{ parentId: 77 }, "parentId", "This value is not valid."],
    [{ parentExternalId: "none" }, "parentExternalId", "This value is not valid."],
  ])("are refused with %o", async (change, field, words) => {
    const { create, list } = groups();
    expect(await create({ name: "Knots", externalId: "knots", ...change })).toMatchObject({
      status: 400,
      body: { success: false, errorMsg: "Errors in the entity format", errors: { [field]: words } },
    });
    expect((await list("product-groups")).entries).toHaveLength(3);
  });

  it("are never below themselves", async () => {
    const { edit, read } = groups();
    expect((await edit("quay", { parentId: 2 })).body.errors).toEqual({ parentId: "This value is not valid." });
    expect(await read(1)).not.toHaveProperty("parentId");
  });

  it("that do not exist, also in the shop named, are not edited", async () => {
    const { edit } = groups();
    for (const [key, more] of [
      ["none", {}],
      ["7", { by: "id" }],
      ["quay", { site: "market" }],
    ] as const)
      expect(await edit(key, {}, more)).toMatchObject({ status: 404, body: { errorMsg: "Not found" } });
  });
});

describe("stocks and prices", () => {
  it("are uploaded by any of an offer's names; others are named in the answer", async () => {
    const { stock, price, list, faults, wait } = withHat();
    wait(1_000);
    const hat = { xmlId: "xml-white", stores: [{ code: "quay", available: 5, purchasePrice: 9 }] };
    expect((await stock(hat)).body).toEqual({ success: true, processedOffersCount: 1 });
    const none = (await stock({ id: 7, stores: [] })).body;
    expect(none).toEqual({ success: true, processedOffersCount: 0, notFoundOffers: [{ id: 7 }] });
    const cheap = {
      externalId: "hat-white",
      site: "market",
      prices: [
        { code: "base", price: 30 },
        { code: "base", price: 29 },
      ],
    };
    expect((await price(cheap)).body).toEqual({ success: true, processedOffersCount: 1, notFoundOffers: [] });
    const lost = (await price({ id: 300, site: "shop", prices: [] })).body;
    expect(lost).toEqual({ success: true, processedOffersCount: 0, notFoundOffers: [{ id: "300" }] });
    expect((await list("inventories", "?filter[ids][]=300&filter[details]=1")).entries).toEqual([
      {
        id: 300,
        externalId: "hat-white",
        xmlId: "xml-white",
        site: "market",
        purchasePrice: 9,
        quantity: 5,
        stores: [{ store: "quay", quantity: 5, purchasePrice: 9 }],
      },
    ]);
    expect((await list("products", "?filter[ids][]=200")).entries).toMatchObject([
      { minPrice: 29, maxPrice: 51, quantity: 1005, updatedAt: "2026-05-01 10:00:01" },
    ]);
    expect(faults()).toEqual([]);
  });

  it("remove the price of a type", async () => {
    const { price, list } = withHat();
    await price({ id: 300, prices: [{ code: "base", remove: true }] });
    const [hat] = (await list("products", "?filter[ids][]=200")).entries as unknown as Product[];
    expect(hat).toMatchObject({ minPrice: 51, offers: [{ prices: [{ priceType: "box", price: 40 }] }, { price: 51 }] });
    expect(hat?.offers[0]).not.toHaveProperty("price");
  });

  it("of an unknown store or price type change nothing", async () => {
    const { stock, price, world } = withHat();
    const before = world.tables.products.rows.get(200);
    expect((await stock({ id: 300, stores: [{ code: "moon", available: 1 }] })).body.errors).toEqual({
      "[0].stores[0].code": '"Store" with "code"="moon" does not exist.',
    });
    expect((await price({ id: 300, prices: [{ code: "gift", price: 1 }] })).body.errors).toEqual({
      "[0].prices[0].code": '"PriceType" with "code"="gift" does not exist.',
    });
    expect(world.tables.products.rows.get(200)).toBe(before);
  });

  it("need store_write", async () => {
    const { json, crm } = shop();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["store_read"] });
    const form = { prices: JSON.stringify([{ id: 101 }]) };
    expect((await crm("GET", `${ROOT}/products`, undefined, "reader")).status).toBe(200);
    expect((await crm("POST", `${ROOT}/prices/upload`, form, "reader")).status).toBe(403);
  });
});

describe("a batch of products", () => {
  const batch = () => {
    const own = shop();
    const create = (...products: object[]) => own.submit(`${ROOT}/products/batch/create`, { products });
    const edit = (...products: object[]) => own.submit(`${ROOT}/products/batch/edit`, { products });
    const all = async () => (await own.list("products", "?limit=100")).entries as unknown as Product[];
    return { ...own, create, edit, all };
  };
  const OAR = { externalId: "oar", name: "Ash oar", article: "OAR-2", groups: [{ externalId: "rigging" }] };

  it("is created, each with an offer that can be priced", async () => {
    const { create, all, price, faults, asAgent } = batch();
    const { status, body } = await create(OAR, { name: "Sail", type: "service", active: false });
    expect([status, body]).toEqual([
      200,
      { success: true, processedProductsCount: 2, addedProducts: [expect.any(Number), expect.any(Number)] },
    ]);
    expect((await all()).slice(-2)).toMatchObject([
      { ...OAR, type: "product", active: true, quantity: 0, groups: [{ id: 2, externalId: "rigging" }] },
      { name: "Sail", type: "service", active: false },
    ]);
    const [offer] = (await all()).find(({ externalId }) => externalId === "oar")?.offers ?? [];
    expect(offer).toMatchObject({ externalId: "oar", name: "Ash oar", site: "shop" });
    await price({ externalId: "oar", prices: [{ code: "base", price: 64 }] });
    const cards = (await asAgent("GET", "/products?search=oar")).body;
    expect(cards).toMatchObject([{ name: "Ash oar", cost: { value: 64, currency: "EUR" } }]);
    expect(faults()).toEqual([]);
  });

  it("is created without offers where the account does so", async () => {
    const { create, all, set } = batch();
    await set({ productOffer: false });
    await create(OAR);
    expect((await all()).at(-1)).toMatchObject({ name: "Ash oar", offers: [] });
  });

  it("is edited by either id; what is not found is named", async () => {
    const { edit, all, wait, faults } = batch();
    wait(1_000);
    const named = { externalId: "bag-01", site: "shop", description: "Dry" };
    const { body } = await edit({ id: 101, active: false, groups: [{ id: 3 }] }, named, { id: 7, name: "None" });
    expect(body).toEqual({ success: true, processedProductsCount: 2, notFoundProducts: [{ id: "7" }] });
    expect((await edit({ ...named, site: "market" })).body.notFoundProducts).toEqual([{ externalId: "bag-01" }]);
    expect(await all()).toMatchObject([
      { id: 101, active: false, groups: [{ id: 3 }], maxPrice: 4, updatedAt: "2026-05-01 10:00:01" },
      { id: 102, description: "Dry", name: "Deck bag, waxed canvas", maxPrice: 89.5 },
      { id: 103, updatedAt: "2026-05-01 10:00:00" },
      { id: 104 },
    ]);
    expect(faults()).toEqual([]);
  });

  it.each([
    [{ name: "" }, "[1].name", "This value should not be blank."],
    [{ externalId: "bag-01" }, "[1].externalId", "This value is already used."],
    [{ externalId: "oar" }, "[1].externalId", "This value is already used."],
    [{ groups: [{ id: 77 }] }, "[1].groups[0]", "This value is not valid."],
  ])("changes nothing with %o", async (change, field, words) => {
    const { create, all } = batch();
    expect(await create(OAR, { name: "Sail", ...change })).toMatchObject({
      status: 400,
      body: { errors: { [field]: words } },
    });
    expect(await all()).toHaveLength(4);
  });
});
