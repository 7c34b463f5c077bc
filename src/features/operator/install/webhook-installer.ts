import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Registration } from '#features/certificates/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { decideCreationGuard, type CrdName } from './creation-guard.ts'
import type { ReadReleaseContents } from './release-contents.ts'
import {
  servedByAnnotation,
  decideRegistrations,
  creationGuardName,
  type RegistrationChanges,
  type ServingPhase,
} from './webhook-registrations.ts'

/** Dependencies of the webhook installer. */
export interface WebhookInstallerPorts {
  readonly client: Pick<Client, 'create' | 'update' | 'delete'>
  readonly contents: ReadReleaseContents
  readonly namespace: string
  /** All webhook configurations of the cluster. */
  readonly validatingWebhooks: Lister<ValidatingWebhookConfiguration>
  readonly mutatingWebhooks: Lister<MutatingWebhookConfiguration>
  readonly apiServices: Lister<APIService>
  /** PEM bundle of the CAs that signed serving certificates; undefined until there is one. */
  readonly bundle: () => string | undefined
}

/** Parameters of the comparison. */
export interface RegistrationRequest {
  readonly wanted: string
  readonly phase: ServingPhase
  /** Versions that may be serving when no registration is annotated with them. */
  readonly fallback: readonly string[]
}

/** Registers webhooks and APIServices that the serving versions answer, and no others. */
export interface WebhookInstaller {
  changes(request: RegistrationRequest): Promise<RegistrationChanges>
  /**
   * Writes the changes and the creation guard, which closes before registrations are removed and
   * opens after they are created.
   */
  apply(
    changes: RegistrationChanges,
    kinds: { readonly phase: ServingPhase; readonly coming: readonly CrdName[]; readonly foreign: readonly CrdName[] },
    signal: AbortSignal,
  ): Promise<void>
}

export function createWebhookInstaller({ client, contents, namespace, bundle, ...listers }: WebhookInstallerPorts): WebhookInstaller {
  const all = (): readonly Registration[] =>
    [listers.validatingWebhooks, listers.mutatingWebhooks, listers.apiServices].flatMap((lister: Lister<Registration>) => lister.list())
  const read = async (version: string): Promise<readonly Registration[] | undefined> => {
    try {
      return (await contents(version)).registrations
    } catch {
      // On a cluster, only the contents of the operator's own version are available.
      return undefined
    }
  }
  const write = async (object: Registration, signal: AbortSignal): Promise<void> => {
    const resource = resourceOf(object)
    await (object.metadata.resourceVersion === undefined
      ? client.create(resource, object, { signal })
      : client.update(resource, object, { signal }))
  }
  const remove = async (object: Registration, signal: AbortSignal): Promise<void> => {
    const { name = '', uid } = object.metadata
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    await client.delete(resourceOf(object), { name }, { ...preconditions, signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }

  return {
    async changes({ wanted, phase, fallback }) {
      const present = all()
      const versions = new Set([wanted, ...fallback, ...present.flatMap(versionsOn)])
      const known = new Map<string, readonly Registration[]>()
      for (const version of versions) {
        const registrations = await read(version)
        if (registrations !== undefined) known.set(version, registrations)
      }
      const pem = bundle()
      const encoded = pem === undefined ? undefined : Buffer.from(pem).toString('base64')
      return decideRegistrations({ present, known, wanted, phase, fallback, bundle: encoded })
    },
    async apply(changes, { phase, coming, foreign }, signal) {
      const present = listers.validatingWebhooks.get('', creationGuardName)
      const gate = decideCreationGuard({ present, phase, coming, foreign, namespace })
      if (gate !== undefined && gate !== 'open') await write(gate, signal)
      await Promise.all(changes.write.map((one) => write(one, signal)))
      await Promise.all(changes.remove.map((one) => remove(one, signal)))
      if (gate === 'open' && present !== undefined) await remove(present, signal)
    },
  }
}

function versionsOn({ metadata }: Registration): readonly string[] {
  return metadata.annotations?.[servedByAnnotation]?.split(',') ?? []
}

function resourceOf({ kind }: Registration): ResourceType<KubeObject> {
  const resources = [mutatingWebhookConfigurations, validatingWebhookConfigurations, apiServices] as readonly ResourceType<KubeObject>[]
  return resources.find((resource) => resource.kind === kind) ?? validatingWebhookConfigurations
}
