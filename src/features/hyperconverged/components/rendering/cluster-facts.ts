import { isJsonObject } from '#apimachinery/own-property.ts'
import { valueAt } from '../../value-at.ts'
import type { CachedKind } from './components.ts'
import { isKnownCipher, tlsSettingsOf, type TlsSettings } from './tls-profile.ts'

/** Settings of a cluster that components follow where HyperConverged has none. */
export interface ClusterFacts {
  readonly isOpenShift: boolean
  /** Undefined: the cluster has none. */
  readonly tlsSecurityProfile?: Readonly<Record<string, unknown>>
}

/** A cluster without settings of its own. */
export const plainCluster: ClusterFacts = { isOpenShift: false }

/** OpenShift's settings of its API server. */
export const clusterSettingsKind: CachedKind = {
  name: 'cluster-settings',
  group: 'config.openshift.io',
  versions: ['v1'],
  kind: 'APIServer',
  plural: 'apiservers',
  objectName: 'cluster',
}

/** Reads the settings of a cluster. `isInstalled`: the kind of the settings is. Pure. */
export function clusterFactsOf(isInstalled: boolean, settings: unknown): ClusterFacts {
  const profile = isInstalled ? validProfile(valueAt(settings, ['spec', 'tlsSecurityProfile'])) : undefined
  return { isOpenShift: isInstalled, ...(profile === undefined ? {} : { tlsSecurityProfile: profile }) }
}

/**
 * Returns a profile that components take. A cluster may name ciphers that exist nowhere; they are
 * left out. A custom profile that cannot be used otherwise becomes that of Intermediate.
 */
function validProfile(profile: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(profile)) return undefined
  const { type, custom } = profile
  if (type !== 'Custom') return typeof type === 'string' && ['Old', 'Intermediate', 'Modern'].includes(type) ? { type } : undefined
  const { ciphers, minTLSVersion } = isJsonObject(custom) ? custom : {}
  const known = Array.isArray(ciphers) ? ciphers.filter(isKnownCipher) : []
  const wanted = { type, custom: { ciphers: known, minTLSVersion } }
  return settingsOf(wanted) === undefined ? { type, custom: { ...tlsSettingsOf(undefined) } } : wanted
}

function settingsOf(profile: unknown): TlsSettings | undefined {
  try {
    return tlsSettingsOf(profile)
  } catch {
    return undefined
  }
}
