import type { Strategy } from '#apiserver/registry/resource-definition.ts'

/**
 * Behaviour of kinds that are kept so that manifests apply, and that nothing here acts on: whoever
 * creates one is told what to expect.
 */
export function storedOnly(kind: string, missing: string): Strategy {
  return {
    warnings: (_object, old) => (old === undefined ? [`${kind} is stored, but nothing on this machine acts on it: ${missing}`] : []),
  }
}
