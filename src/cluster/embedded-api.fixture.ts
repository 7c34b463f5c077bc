import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInPlugins, finalPlugins } from '#apiserver/admission/built-in-plugins.ts'
import { createVerbs } from '#apiserver/endpoints/verbs.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import { createServiceAccountTokens } from '#apiserver/service-accounts/service-account-tokens.ts'
import { generateSigningKey } from '#apiserver/service-accounts/signing-key.ts'
import { openObjectStore } from '#apiserver/storage/open-object-store.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createRecorder, type Recorder } from '#runtime/recorder/recorder.ts'
import { type ClusterControllersOptions, createClusterControllers, createRegistryCatalog } from './controllers/index.ts'

/** The real API server without its front, with all cluster controllers. */
export interface EmbeddedCluster extends AsyncDisposable {
  readonly client: Client
  /** Directory of the volumes' data. */
  readonly volumes: string
}

/**
 * Starts one in a temporary directory. `makeControllers`: for tests that run some of them by
 * themselves.
 */
export async function startEmbeddedCluster(
  makeControllers: (options: ClusterControllersOptions & { readonly recorder: Recorder }) => readonly Runnable[] = createClusterControllers,
): Promise<EmbeddedCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-'))
  const now = (): number => clock.now()
  const store = openObjectStore({ path: join(directory, 'state.db'), now, synchronous: 'NORMAL' })
  const registry = createResourceRegistry(builtinDefinitions())
  const random = (): number => randomInt(2 ** 32) / 2 ** 32
  const admission = [...builtInPlugins({ store, now, random, hasControllers: true, hasPodNetwork: true }), ...finalPlugins({ store, now })]
  const accountTokens = createServiceAccountTokens({ signingKey: generateSigningKey(), store, now, randomUuid: randomUUID })
  const verbs = createVerbs({ store, registry, admission, now, randomUuid: randomUUID, random, accountTokens })
  const client = createInProcessClient({ verbs, registry, user: { username: 'test', groups: ['system:masters'] } })
  for (const name of ['default', 'kube-system', 'kube-node-lease']) await client.create(namespaces, { metadata: { name } })
  const informers = createInformerSet({ client, clock, log, freeze: true })
  const recorder = createRecorder({ client, component: 'test', clock, log })
  const catalog = createRegistryCatalog(registry, clock)
  const authority = createAuthority({ commonName: 'CA', nowMs: now(), lifetimeMs: 86_400_000 })
  const controllers = makeControllers({
    client,
    informers,
    clock,
    log,
    recorder,
    catalog,
    clusterCa: () => 'CA',
    signingAuthority: () => authority,
    volumes: join(directory, 'volumes'),
  })
  const stop = new AbortController()
  const running = Promise.all([informers.run(stop.signal), ...controllers.map((controller) => controller.run(stop.signal))])
  return {
    client,
    volumes: join(directory, 'volumes'),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await recorder.flush()
      await store[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
