# The package as it is published, and nothing else: docker build -t patchgate .
FROM node:22-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && npm run build && npm pack --ignore-scripts --pack-destination /

FROM node:22-slim
COPY --from=build /patchgate-*.tgz /tmp/
# pg is what --store needs.
RUN npm install --global --no-audit --no-fund /tmp/patchgate-*.tgz pg@8 \
  && rm /tmp/patchgate-*.tgz \
  && npm cache clean --force \
  && mkdir -p /data/recordings /data/.patchgate \
  && chown -R node:node /data
WORKDIR /data
USER node
ENV PATCHGATE_HOST=0.0.0.0
EXPOSE 4010
VOLUME ["/data/recordings", "/data/.patchgate"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["node", "-e", "fetch('http://127.0.0.1:4010/__patchgate/health/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["patchgate"]
CMD ["--help"]
