import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startApiServer } from '#apiserver/api-server.ts'
import { createNamespaceLifecycle } from '#apiserver/admission/namespace-lifecycle.ts'
import { createWebhookAdmission } from '#apiserver/admission/webhooks/webhook-admission.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { createVerbs } from '#apiserver/endpoints/verbs.ts'
import { serveCustomResources } from '#apiserver/extensions/serve-custom-resources.ts'
import { createInProcessClient } from '#apiserver/in-process-client.ts'
import { builtinDefinitions } from '#apiserver/registry/builtin/builtin-definitions.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import { openObjectStore } from '#apiserver/storage/open-object-store.ts'
import { createClusterControllers, createRegistryCatalog } from '#cluster/controllers/index.ts'
import { ensureAddons } from '#machine/addons.ts'
import { pkiPaths } from '#machine/pki.ts'
import { thisRelease } from '#machine/release.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock } from '#runtime/clock.ts'
import { createManager } from '#runtime/manager/manager.ts'
import { runProcess } from '#runtime/process.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { parseFlags } from './flags.ts'
import { createProcessLog } from './process-log.ts'

// The embedded API server with the workload controllers of machine mode, which use it without a wire.
const log = createProcessLog('apiserver')
const now = (): number => Date.now()
const random = (): number => Math.random()

await runProcess(
  async (signal) => {
    const flags = parseFlags(process.argv.slice(2), ['database', 'port', 'pki'])
    const release = thisRelease()
    const onFailure = (failure: Error | undefined): void =>
      failure === undefined ? log.info({}, 'writes work again') : log.error({ err: failure }, 'writes fail')
    await using store = openObjectStore({ path: flags.database, now, onFailure, onError: (error) => log.error({ err: error }, 'storage') })
    const registry = createResourceRegistry(builtinDefinitions())
    using webhooks = createWebhookAdmission({
      store,
      registry,
      randomUuid: randomUUID,
      onIgnored: (webhook, error) => log.warn({ webhook, err: error }, 'a webhook failed and is ignored, as its policy says'),
    })
    const verbs = createVerbs({
      store,
      registry,
      admission: [createNamespaceLifecycle(store), webhooks],
      now,
      randomUuid: randomUUID,
      random,
    })
    using custom = serveCustomResources({ store, registry, verbs, now, onError: (error) => log.error({ err: error }, 'custom resources') })
    const client = createInProcessClient({ verbs, registry, user: { username: 'system:apiserver', groups: ['system:masters'] } })
    const pki = pkiPaths(flags.pki)
    const [key, cert, clientCa] = await Promise.all(
      [pki.apiserver.key, pki.apiserver.certificate, pki.ca.certificate].map((file) => readFile(file, 'utf8')),
    )
    let missing: string | undefined = 'namespaces and CustomResourceDefinitions are not there yet'
    await using server = await startApiServer({
      port: Number(flags.port),
      tls: { key: key ?? '', cert: cert ?? '', clientCa: clientCa ?? '' },
      verbs,
      registry,
      store,
      version: versionInfo(release.version, { commit: '', date: '', platform: 'linux/amd64' }),
      now,
      random,
      log,
      healthChecks: [{ name: 'poststarthook/addons', problem: () => missing }],
    })
    await ensureAddons(client, join(release.root, 'manifests'))
    await custom.settled()
    missing = undefined
    log.info({ port: server.port }, 'ready')

    const recorder = createRecorder({ client, component: 'cluster', clock: systemClock, log })
    const informers = createInformerSet({ client, clock: systemClock, log })
    const catalog = createRegistryCatalog(registry, systemClock)
    const manager = createManager({ log, clock: systemClock })
    manager.add(informers, 'caches')
    for (const controller of createClusterControllers({
      client,
      informers,
      clock: systemClock,
      log,
      recorder,
      catalog,
      clusterCa: clientCa ?? '',
    })) {
      manager.add(controller)
    }
    await manager.run(signal)
    return 0
  },
  (error) => log.error({ err: error }, 'the API server ended'),
)
