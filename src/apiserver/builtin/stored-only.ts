import type { Strategy } from '#apiserver/registry/resource-definition.ts'

/**
 * Strategy of kinds that are stored without a controller, so that manifests apply. Warns at
 * creation.
 */
export function storedOnly(kind: string, missing: string): Strategy {
  return {
    warnings: (_object, old) => (old === undefined ? [`${kind} is stored, but nothing on this machine acts on it: ${missing}`] : []),
  }
}
