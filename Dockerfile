# The digest of the index of all platforms, as docker-library/repo-info has it: repos/node/remote/24.21.0-bookworm-slim.md
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS node

FROM node AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json tsconfig.browser.json ./
COPY tools/launch.mjs tools/bundle.mjs tools/notices.mjs tools/pack.mjs ./tools/
COPY tools/licences ./tools/licences
COPY packages ./packages
COPY messengers ./messengers
COPY src ./src
COPY migrations ./migrations
COPY deploy ./deploy
COPY LICENSE README.md ./
RUN npm run build && node tools/pack.mjs --image /image

FROM node
LABEL org.opencontainers.image.title="Gangway" \
  org.opencontainers.image.description="A transport module server: connects messengers to a CRM's messaging gateway" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production DATA_FOLDER=/data PORT=3000
WORKDIR /app
COPY --from=build --chown=root:root /image ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
# Only /data is written, so run it with --read-only.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||3000)+'/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "dist/main.js"]
