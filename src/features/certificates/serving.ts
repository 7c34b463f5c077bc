import { configMaps, secrets } from '#api/core/v1/resources.ts'
import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { aborted } from '#runtime/clock/abort.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { certificateNames } from './names.ts'
import { certificatesOf, signerOf } from '#runtime/certificates/bundle.ts'
import { pairOf, type CertificatePair } from './observe.ts'

/** A serving certificate and the CA bundle of its clients, in PEM. */
export interface ServingCertificate extends CertificatePair {
  readonly bundle: string
}

/** Reads a server's certificate as it is stored now. */
export interface ServingSource {
  /** Returns undefined until there is a certificate that a CA of the bundle signed. */
  current(): ServingCertificate | undefined
  /** Registers a callback for possible changes. */
  onChange(call: () => void): void
}

/** Names of the Secret of a server's certificate, and of the ConfigMap of its authorities. */
export interface ServingNames {
  readonly serving: string
  readonly authority: string
}

const namesOfApi: ServingNames = { serving: certificateNames.api, authority: certificateNames.authority }

/** Watches the certificate of a server; default: that of virt-api. */
export function createServingSource(informers: InformerSet, namespace: string, names: ServingNames = namesOfApi): ServingSource {
  const named = (name: string): { namespace: string; fieldSelector: string } => ({ namespace, fieldSelector: `metadata.name=${name}` })
  const caches = {
    secrets: informers.informer(secrets, named(names.serving)),
    configMaps: informers.informer(configMaps, named(names.authority)),
  }
  return servingSourceOf(caches, namespace, names)
}

/** Reads the certificate of a server from caches that its process has anyway. */
export function servingSourceOf(
  { secrets: pairs, configMaps: bundles }: { readonly secrets: Informer<Secret>; readonly configMaps: Informer<ConfigMap> },
  namespace: string,
  names: ServingNames,
): ServingSource {
  return {
    current() {
      const pair = pairOf(pairs.get(namespace, names.serving))
      const bundle = bundles.get(namespace, names.authority)?.data?.[certificateNames.bundleKey]
      if (pair === undefined || bundle === undefined || !isCheckedBy(pair, bundle)) return undefined
      return { ...pair, bundle }
    },
    onChange(call) {
      pairs.onEvent(call)
      bundles.onEvent(call)
    },
  }
}

function isCheckedBy({ certificate }: CertificatePair, bundle: string): boolean {
  return signerOf(certificate, certificatesOf(bundle)) !== undefined
}

/** Resolves with the first usable certificate. */
export async function firstCertificate(source: ServingSource, signal: AbortSignal): Promise<ServingCertificate> {
  const first = Promise.withResolvers<ServingCertificate>()
  const look = (): void => {
    const current = source.current()
    if (current !== undefined) first.resolve(current)
  }
  const stop = (): void => first.reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  source.onChange(look)
  look()
  return first.promise.finally(() => signal.removeEventListener('abort', stop))
}

/** Parameters of {@link followCertificate}. */
export interface FollowOptions {
  readonly source: ServingSource
  /** The certificate that is being served. */
  readonly first: ServingCertificate
  /** Writes the bundle to all clients' configurations. */
  readonly publish: (bundle: string) => Promise<void>
  /** Serves a certificate from now on. */
  readonly use: (certificate: CertificatePair) => void
  readonly clock: Clock
  /** Milliseconds that clients may need to apply a new bundle. */
  readonly settleMs: number
}

/**
 * Serves each new certificate after its CA is published to all clients; until then, the old one
 * remains valid. Runs until the signal.
 */
export async function followCertificate(
  { source, first, publish, use, clock, settleMs }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  let wake = (): void => {}
  source.onChange(() => wake())
  let { certificate: used, bundle: published } = first
  const stopped = aborted(signal)
  while (!signal.aborted) {
    const changed = Promise.withResolvers<void>()
    wake = changed.resolve
    const current = source.current()
    if (current !== undefined && current.bundle !== published) {
      await publish(current.bundle).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      published = current.bundle
      await Promise.race([clock.sleep(settleMs, signal).catch(() => {}), stopped])
      continue
    }
    if (current !== undefined && current.certificate !== used) {
      use(current)
      used = current.certificate
    }
    await Promise.race([changed.promise, stopped])
  }
}
