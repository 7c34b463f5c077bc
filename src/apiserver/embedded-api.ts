import { randomUUID } from 'node:crypto'
import type { Client } from '#client/client.ts'
import { builtInPlugins, finalPlugins } from './admission/built-in-plugins.ts'
import type { AdmissionPlugin } from './admission/chain.ts'
import { expressionValidity } from './admission/expression-validity.ts'
import { createParameterAccess } from './admission/policy/parameter-access.ts'
import { keepTypeChecks } from './admission/policy/keep-type-checks.ts'
import { createPolicyAdmission } from './admission/policy/policy-admission.ts'
import { createWebhookAdmission } from './admission/webhooks/webhook-admission.ts'
import type { ProxyClient } from './aggregation/backend/backend.ts'
import type { ServerTls } from './http/listener.ts'
import { publishAuthenticationConfig } from './aggregation/authentication-config.ts'
import { type ApiServer, type ApiServerOptions, startApiServer } from './api-server.ts'
import { createCertificateSigners } from './admission/access/certificate-signers.ts'
import { createEscalationCheck } from './admission/access/escalation.ts'
import { keepAggregatedRoles } from './authorization/keep-aggregated-roles.ts'
import { createRbac } from './authorization/rbac.ts'
import type { UserInfo, Verbs } from './request/api-request.ts'
import { createVerbs } from './endpoints/verbs.ts'
import { serveCustomResources } from './extensions/serve-custom-resources.ts'
import { createInProcessClient } from './in-process/in-process-client.ts'
import { builtinDefinitions } from './builtin/builtin-definitions.ts'
import { ensureInitialObjects } from './builtin/initial-objects.ts'
import type { ResourceRegistry } from './registry/resource-definition.ts'
import { createResourceRegistry } from './registry/resource-registry.ts'
import { createServiceResolver } from './services/service-resolver.ts'
import { createFlowControl, type FlowControl } from './flow-control/flow-control.ts'
import { keepFlowControl } from './flow-control/keep-flow-control.ts'
import { createServiceAccountTokens } from './service-accounts/service-account-tokens.ts'
import { generateSigningKey } from './service-accounts/signing-key.ts'
import type { ObjectStore } from './storage/object-store.ts'
import { createEndpointFinder } from './services/endpoint-finder.ts'
import { createStartupWrites, type StartupWrites } from './startup-writes.ts'
import { openObjectStore } from './storage/open-object-store.ts'
import type { ObjectStoreOptions } from './storage/store-options.ts'

/** Options of {@link startEmbeddedApi}, in addition to those of the server. */
export interface EmbeddedApiOptions extends Omit<
  ApiServerOptions,
  'verbs' | 'registry' | 'store' | 'rbac' | 'accountTokens' | 'endpoints' | 'startup'
> {
  /** Database file. */
  readonly database: string
  /** Default FULL: a write is on the disk before it is acknowledged. */
  readonly synchronous?: NonNullable<ObjectStoreOptions['synchronous']>
  /**
   * True if cluster controllers run: pods then need a service account, which a controller creates.
   * Default false.
   */
  readonly hasControllers?: boolean
  /** True if guests have a network, whose traffic a controller filters. Default false. */
  readonly hasPodNetwork?: boolean
  /**
   * PEM of the signing key of service-account tokens, and of previous keys. Default: a new key at
   * each start.
   */
  readonly accountKeys?: { readonly signing: string; readonly older?: readonly string[] }
  /** Plugins between the built-in ones and the webhooks. Default none. */
  readonly admission?: readonly AdmissionPlugin[]
}

/** An API server in this process. Disposal stops it and closes its store. */
export interface EmbeddedApi extends AsyncDisposable {
  readonly server: ApiServer
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  /** For writes that the process adds to its start. */
  readonly startup: StartupWrites
  /** Priority levels, for metrics. */
  readonly flows: Pick<FlowControl, 'seats'>
  /** Uses other certificates, which are published for extension API servers first. */
  reloadTls(tls: ServerTls, proxyClient?: ProxyClient): Promise<void>
  /** Client without transport and authorization. */
  client(user: UserInfo): Client
}

/**
 * Opens the store and serves everything: built-in kinds, custom resources, admission webhooks.
 * System objects exist when this resolves, unless the disk is full. The entry point of the API
 * server.
 * @throws StoreOpenError, AddressInUse
 */
export async function startEmbeddedApi(options: EmbeddedApiOptions): Promise<EmbeddedApi> {
  const {
    database,
    synchronous = 'FULL',
    hasControllers = false,
    hasPodNetwork = false,
    admission = [],
    accountKeys,
    ...serverOptions
  } = options
  const { log, now, random } = options
  await using stack = new AsyncDisposableStack()
  const startup = createStartupWrites({
    store: {
      get failure() {
        return store.failure
      },
    },
    log,
  })
  const store: ObjectStore = stack.use(
    openObjectStore({
      path: database,
      now,
      synchronous,
      onFailure: (failure) => {
        if (failure !== undefined) return log.error({ err: failure }, 'Writes fail, and the server is not ready')
        log.info({}, 'Writes work again')
        startup.resume()
      },
      onError: (error) => log.error({ err: error }, 'Storage failed'),
    }),
  )
  const registry = createResourceRegistry(builtinDefinitions())
  const endpoints = createEndpointFinder(store)
  const resolveService = createServiceResolver(endpoints)
  const rbac = stack.use(createRbac(store))
  const { authorize } = rbac
  const policies = stack.use(createPolicyAdmission({ store, registry, randomUuid: randomUUID, authorize }))
  const webhooks = stack.use(
    createWebhookAdmission({
      store,
      registry,
      randomUuid: randomUUID,
      authorize,
      onIgnored: (webhook, error) => log.warn({ webhook, err: error }, 'Webhook failed, which its policy says to ignore'),
      resolveService,
    }),
  )
  const accountTokens = createServiceAccountTokens({
    signingKey: accountKeys?.signing ?? generateSigningKey(),
    olderKeys: accountKeys?.older ?? [],
    store,
    now,
    randomUuid: randomUUID,
  })
  const plugins = [
    ...builtInPlugins({ store, now, random, hasControllers, hasPodNetwork }),
    ...admission,
    expressionValidity,
    createParameterAccess({ store, registry, authorize }),
    policies,
    webhooks,
    createEscalationCheck(rbac),
    createCertificateSigners(authorize),
    ...finalPlugins({ store, now }),
  ]
  const verbs = createVerbs({ store, registry, admission: plugins, now, randomUuid: randomUUID, random, accountTokens })
  stack.use(
    serveCustomResources({
      store,
      registry,
      verbs,
      now,
      randomUuid: randomUUID,
      onError: (error) => log.error({ err: error }, 'Custom resources failed'),
      resolveService,
    }),
  )
  stack.use(keepAggregatedRoles({ store, registry, verbs, onError: (error) => log.error({ err: error }, 'Aggregated roles failed') }))
  const flows = stack.use(createFlowControl(store))
  stack.use(keepTypeChecks({ store, registry, verbs, onError: (error) => log.error({ err: error }, 'Type checks of policies failed') }))
  await startup.run('initial-objects', () => ensureInitialObjects({ verbs, registry }))
  const publish = ({ clientCa, proxyCa }: ServerTls): Promise<void> =>
    publishAuthenticationConfig(verbs, registry, { clientCa, requestHeaderCa: proxyCa })
  await startup.run('extension-apiserver-authentication', () => publish(options.tls))
  const server = stack.use(
    await startApiServer({ ...serverOptions, verbs, registry, store, rbac, accountTokens, endpoints, startup, flows }),
  )
  // Its first writes need not delay the start.
  stack.use(keepFlowControl({ store, registry, verbs, now, onError: (error) => log.error({ err: error }, 'Flow control failed') }))
  const held = stack.move()
  return {
    server,
    store,
    registry,
    verbs,
    startup,
    flows,
    async reloadTls(tls, proxyClient) {
      await publish(tls)
      server.reloadTls(tls, proxyClient)
    },
    client: (user) => createInProcessClient({ verbs, registry, user }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
