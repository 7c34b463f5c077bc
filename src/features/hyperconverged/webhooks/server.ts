import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { endpointSlices } from '#api/discovery/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { HyperConverged as schema } from '#api/hco/v1/schema.generated.ts'
import { groupResourceOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { createConvertedVersions } from '#features/api-versions/index.ts'
import { createServingSource, firstCertificate, followCertificate } from '#features/certificates/index.ts'
import { createInformerSet, type InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { aborted } from '#runtime/clock/abort.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Request } from '#runtime/controller/reconcile.ts'
import { channelSource, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Logger } from '#runtime/process/log.ts'
import { startAdmissionServer, type AdmissionServerOptions, type ServerCertificate } from '#runtime/webhook/admission-server.ts'
import { convertHyperConverged } from '../configuration/conversion/convert.ts'
import { differingPaths } from '../components/objects/differing-paths.ts'
import { hyperConvergedKey, operatorCertificates, operatorName } from '../names.ts'
import { listenerLimitsOf } from '../components/rendering/tls-profile.ts'
import type { DryRun } from './dry-run.ts'
import { createAdmissionHandlers, webhookPaths } from './handlers.ts'
import type { RegistrationState } from './registration-state.ts'
import { hyperConvergedConverter, registrationsOf } from './registrations.ts'

/** Dependencies and settings of the webhooks. */
export interface WebhookServerOptions extends Pick<AdmissionServerOptions, 'host' | 'port' | 'observe' | 'endpoints'> {
  /** Asks the components about an edit. */
  readonly dryRun: DryRun
  readonly registration: Pick<RegistrationState, 'report'>
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
}

/** The server of the webhooks, and whether it answers. */
export interface WebhookServer extends Runnable {
  readonly isServing: boolean
}

/** Milliseconds that clients may need to apply a new CA bundle. */
const settleMs = 5_000

/**
 * Creates the server of admission and conversion. It serves once there is a certificate. Once its
 * Service leads to it, it registers itself, and adds its CA bundle to the conversion of the CRD: a
 * registration without a server would refuse every write.
 */
export function createWebhookServer({
  client,
  clock,
  log,
  host,
  port,
  observe,
  endpoints,
  dryRun,
  registration,
}: WebhookServerOptions): WebhookServer {
  let isServing = false
  return {
    get isServing() {
      return isServing
    },
    async run(signal) {
      const informers = createInformerSet({ client, clock, log })
      const { namespace } = hyperConvergedKey
      const source = createServingSource(informers, namespace, operatorCertificates)
      const watching = informers.run(signal)
      const first = await firstCertificate(source, signal).catch(() => undefined)
      if (first === undefined) return watching
      let { bundle } = first
      const caBundle = (): string => Buffer.from(bundle).toString('base64')
      const objects = informers.informer(hyperConvergeds, { namespace, fieldSelector: `metadata.name=${hyperConvergedKey.name}` })
      let certificate: ServerCertificate = first
      let limits = listenerLimitsOf(undefined) ?? {}
      await using server = await startAdmissionServer({
        host,
        port,
        tls: { ...certificate, limits },
        handlers: createAdmissionHandlers({ dryRun, client, now: () => clock.now() }),
        converters: { [webhookPaths.convert]: convertHyperConverged },
        schemaOf: ({ kind, version }) => Promise.resolve(kind === 'HyperConverged' && version === 'v1' ? schema : undefined),
        log,
        ...(observe === undefined ? {} : { observe }),
        ...(endpoints === undefined ? {} : { endpoints }),
      })
      const reload = (): void => server.reloadTls({ ...certificate, limits })
      using _settings = objects.onEvent(() => {
        const { spec, status } = objects.get(namespace, hyperConvergedKey.name) ?? {}
        // The leader reports that of the cluster.
        limits = listenerLimitsOf(spec?.security?.tlsSecurityProfile ?? status?.steadyvm?.inputs?.tlsSecurityProfile) ?? limits
        reload()
      })
      isServing = true
      await untilReachable(informers, signal)
      const converted = createConvertedVersions({
        client,
        informers,
        clock,
        log,
        definitions: [groupResourceOf(hyperConvergeds)],
        served: () => ({ version: 'v1beta1', served: true }),
        webhook: () => ({ ...hyperConvergedConverter, caBundle: caBundle() }),
      })
      const registered = createRegistrations({ client, informers, clock, log, caBundle, registration })
      const rotation = {
        source,
        first,
        publish: (authorities: string): Promise<void> => {
          bundle = authorities
          converted.wake()
          registered.wake()
          return Promise.resolve()
        },
        use: (next: { readonly certificate: string; readonly key: string }) => {
          certificate = next
          reload()
          log.info({}, 'A new certificate is in use')
        },
        clock,
        settleMs,
      }
      log.info({ port: server.port }, 'ready')
      await Promise.all([converted.run(signal), registered.run(signal), followCertificate(rotation, signal), watching])
    },
  }
}

/** Resolves when the Service of the operator has a pod that is ready, or the signal aborts. */
async function untilReachable(informers: InformerSet, signal: AbortSignal): Promise<void> {
  const { namespace } = hyperConvergedKey
  const labelSelector = `kubernetes.io/service-name=${operatorName}`
  const slices = informers.informer(endpointSlices, { namespace, labelSelector })
  const reached = Promise.withResolvers<void>()
  const look = (): void => {
    if (slices.list().some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready === true) === true)) reached.resolve()
  }
  using _watching = slices.onEvent(look)
  look()
  await Promise.race([reached.promise, aborted(signal)])
}

interface RegistrationsOptions extends Pick<WebhookServerOptions, 'client' | 'clock' | 'log' | 'registration'> {
  readonly informers: InformerSet
  readonly caBundle: () => string
}

/** Keeps the webhook configurations registered. All replicas apply the same. */
function createRegistrations({ client, informers, clock, log, caBundle, registration }: RegistrationsOptions): Runnable & { wake(): void } {
  const [mutating, validating] = registrationsOf('')
  const named = (name = ''): { fieldSelector: string } => ({ fieldSelector: `metadata.name=${name}` })
  const mutators = informers.informer(mutatingWebhookConfigurations, named(mutating.metadata.name))
  const validators = informers.informer(validatingWebhookConfigurations, named(validating.metadata.name))
  const requests: readonly Request[] = [{ namespace: '', name: operatorName }]
  const woken = channelSource()
  const wake = (): void => requests.forEach((request) => woken.enqueue(request))
  wake()

  const apply = async <T extends MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
    resource: ResourceType<T>,
    cache: Informer<T>,
    wanted: T,
    signal: AbortSignal,
  ): Promise<void> => {
    const { name = '' } = wanted.metadata
    const present = cache.get('', name)
    if (present !== undefined && differingPaths(wanted, present).length === 0) return
    await client.patch(resource, { name }, { type: 'apply', body: wanted, fieldManager: operatorName, force: true }, { signal })
    log.info({ registration: name }, 'A webhook is registered')
  }
  const controller = createController({
    name: 'registrations',
    reconciler: async (_request, { signal }) => {
      const [mutator, validator] = registrationsOf(caBundle())
      await apply(mutatingWebhookConfigurations, mutators, mutator, signal)
      await apply(validatingWebhookConfigurations, validators, validator, signal)
      registration.report()
      return done
    },
    sources: [woken, watchResource(mutators, () => requests), watchResource(validators, () => requests)],
    clock,
    log,
  })
  return { run: (signal) => controller.run(signal), wake }
}
