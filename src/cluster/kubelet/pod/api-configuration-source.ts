import { isNotFound } from '#apimachinery/errors.ts'
import { configMaps, persistentVolumeClaims, persistentVolumes, secrets } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import type { ConfigurationSource } from './configuration-source.ts'

/** ConfigMaps and Secrets straight from the API, at the moment they are needed. */
export function createApiConfigurationSource(client: Client): ConfigurationSource {
  return {
    async configMap(namespace, name) {
      const found = await orUndefined(client.get(configMaps, { namespace, name }))
      if (found === undefined) return undefined
      return new Map([
        ...Object.entries(found.data ?? {}).map(([key, text]) => [key, new TextEncoder().encode(text)] as const),
        ...Object.entries(found.binaryData ?? {}).map(([key, base64]) => [key, Uint8Array.fromBase64(base64)] as const),
      ])
    },
    async secret(namespace, name) {
      const found = await orUndefined(client.get(secrets, { namespace, name }))
      if (found === undefined) return undefined
      return new Map(Object.entries(found.data ?? {}).map(([key, base64]) => [key, Uint8Array.fromBase64(base64)] as const))
    },
    async claim(namespace, name) {
      const claim = await orUndefined(client.get(persistentVolumeClaims, { namespace, name }))
      if (claim === undefined) return undefined
      const volumeName = claim.spec?.volumeName ?? ''
      if (claim.status?.phase !== 'Bound' || volumeName === '') return { path: undefined, problem: 'is not bound' }
      const volume = await orUndefined(client.get(persistentVolumes, { name: volumeName }))
      if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) return { path: undefined, problem: `is not bound to volume "${volumeName}"` }
      const path = volume?.spec?.hostPath?.path ?? volume?.spec?.local?.path
      return { path, problem: `is bound to volume "${volumeName}", which is no path on this machine` }
    },
  }
}

async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
