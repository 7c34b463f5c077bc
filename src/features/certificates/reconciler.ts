import type { ConfigMap } from '#api/core/v1/config-map.ts'
import { configMaps, secrets } from '#api/core/v1/resources.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { decideRotation } from '#runtime/certificates/rotation.ts'
import { createAuthority, loadAuthority, type Issued } from '#runtime/certificates/authority.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import type { Logger } from '#runtime/process/log.ts'
import { certificateNames } from './names.ts'
import { observe, pairOf } from './observe.ts'
import type { CertificatePlan } from './plan.ts'
import { outdatedRegistrations, type RegistrationListers } from './registrations.ts'
import { goDuration } from './durations.ts'

/** Dependencies of the reconciler. */
export interface CertificatesPorts {
  readonly client: Pick<Client, 'create' | 'patch'>
  /** Undefined: there is nothing to maintain, or everything is being removed. */
  readonly plan: () => CertificatePlan | undefined
  readonly secrets: Pick<Lister<Secret>, 'get'>
  readonly configMaps: Pick<Lister<ConfigMap>, 'get'>
  /** Registrations that get a new CA before it signs anything. */
  readonly registrations: RegistrationListers
  readonly clock: Clock
  readonly log: Logger
  readonly namespace: string
}

/** Maintains the CA, the bundle of trusted CAs and the certificates that the CA signs. */
export function createCertificatesReconciler(ports: CertificatesPorts): Reconciler {
  const { client, clock, log, namespace } = ports

  return async (_request, { signal }) => {
    const plan = ports.plan()
    if (plan === undefined) return done
    const { terms, wanted } = plan
    const { authority, bundle, observation } = observe(ports, plan)
    const now = clock.now()
    const told = bundle?.data?.[certificateNames.bundleKey]
    const others = told === undefined ? [] : outdatedRegistrations(ports.registrations, told)
    if (others.length > 0) {
      for (const { resource, object, body } of others) {
        await patchIfUnchanged(client, resource, object, body, { signal })
      }
      log.info({ registrations: others.map(({ object }) => object.metadata?.name) }, 'Registrations believe the authorities of now')
      return done
    }
    const step = decideRotation(observation, terms, now)
    switch (step.do) {
      case 'rest':
        return recheckIn(step.recheckAfterMs)
      case 'make-authority': {
        const { durationMs } = terms.ca
        const commonName = `kubevirt.io@${Math.floor(now / 1000)}`
        const { own } = await createAuthority({ commonName, nowMs: now, lifetimeMs: durationMs })
        await keep(secrets, authority, secretOf(plan, plan.authority, own, durationMs), signal)
        break
      }
      case 'publish':
        await keep(configMaps, bundle, bundleOf(plan, step.bundle, now), signal)
        break
      case 'issue': {
        const pair = pairOf(authority)
        const asked = wanted.find(({ secret }) => secret === step.name)
        if (pair === undefined || asked === undefined) return done
        const { durationMs } = terms.server
        const issued = await loadAuthority(pair.certificate, pair.key).issue({ ...asked, nowMs: now, lifetimeMs: durationMs })
        await keep(secrets, ports.secrets.get(namespace, step.name), secretOf(plan, step.name, issued, durationMs), signal)
      }
    }
    log.info({ step: step.do }, 'Certificates have changed')
    // The write raises an event, and the next pass continues.
    return done
  }

  /** Writes with the observed resourceVersion: a concurrent change is a conflict. */
  async function keep<T extends KubeObject>(
    resource: ResourceType<T>,
    present: T | undefined,
    wanted: T,
    signal: AbortSignal,
  ): Promise<void> {
    if (present === undefined) return void (await client.create(resource, wanted, { signal }))
    await patchIfUnchanged(client, resource, present, wanted, { signal })
  }

  function secretOf({ labels }: CertificatePlan, name: string, { certificate, key }: Issued, durationMs: number): Secret {
    const encode = (text: string): string => Buffer.from(text).toString('base64')
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels: { ...labels }, annotations: { [certificateNames.duration]: goDuration(durationMs) } },
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': encode(certificate), 'tls.key': encode(key) },
    }
  }

  function bundleOf({ authority, labels }: CertificatePlan, certificates: readonly string[], now: number): ConfigMap {
    const annotations = { [certificateNames.publishedAt]: timestamp(now) }
    const metadata = { name: authority, namespace, labels: { ...labels }, annotations }
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [certificateNames.bundleKey]: certificates.join('') } }
  }
}
