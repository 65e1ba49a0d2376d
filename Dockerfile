# For whoever has a container runtime: docker build --tag orrery:0.1.0 .
# `npm run image` makes the same image without one; a test compares what the two say.
FROM node:26-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:26-trixie-slim
COPY --from=build /build/package.json /build/README.md /build/LICENSE /opt/orrery/
COPY --from=build /build/node_modules /opt/orrery/node_modules
COPY --from=build /build/dist /opt/orrery/dist
# The group is root's, as whose member platforms run containers that choose a user themselves.
RUN ln -s /opt/orrery/dist/cli.js /usr/local/bin/orrery \
  && install --directory --owner=1000 --group=0 --mode=775 /data
ENV ENABLE_EXPLORER=true
USER 1000:0
WORKDIR /data
VOLUME /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "/opt/orrery/dist/cli.js", "start", \
  "--host", "0.0.0.0", "--health-port", "8080", "--well-known-key", "--admin", "any", "--emulator-log", \
  "--ca-file", "/tmp/cosmos/appdata/.system/profiles/Client/AppData/Local/CosmosDBEmulator/emulator.pem"]
