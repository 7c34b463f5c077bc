import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startApiServer } from '#apiserver/api-server.ts'
import { createNamespaceLifecycle } from '#apiserver/admission/namespace-lifecycle.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { createVerbs } from '#apiserver/endpoints/verbs.ts'
import { createInProcessClient } from '#apiserver/in-process-client.ts'
import { builtinDefinitions } from '#apiserver/registry/builtin/builtin-definitions.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import { openObjectStore } from '#apiserver/storage/open-object-store.ts'
import { ensureAddons } from '#machine/addons.ts'
import { pkiPaths } from '#machine/pki.ts'
import { thisRelease } from '#machine/release.ts'
import { runProcess } from '#runtime/process.ts'
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
    const verbs = createVerbs({ store, registry, admission: [createNamespaceLifecycle(store)], now, randomUuid: randomUUID, random })
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
    missing = undefined
    log.info({ port: server.port }, 'ready')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return 0
  },
  (error) => log.error({ err: error }, 'the API server ended'),
)
