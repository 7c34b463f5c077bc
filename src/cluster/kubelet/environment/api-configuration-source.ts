import { configMaps, persistentVolumeClaims, persistentVolumes, secrets } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { ConfigurationSource } from './configuration-source.ts'

/** ConfigMaps and Secrets straight from the API, at the moment they are needed. */
export function createApiConfigurationSource(client: Client): ConfigurationSource {
  return {
    async configMap(namespace, name) {
      const object = await found(client.get(configMaps, { namespace, name }))
      if (object === undefined) return undefined
      return new Map([
        ...Object.entries(object.data ?? {}).map(([key, text]) => [key, new TextEncoder().encode(text)] as const),
        ...Object.entries(object.binaryData ?? {}).map(([key, base64]) => [key, Uint8Array.fromBase64(base64)] as const),
      ])
    },
    async secret(namespace, name) {
      const object = await found(client.get(secrets, { namespace, name }))
      if (object === undefined) return undefined
      return new Map(Object.entries(object.data ?? {}).map(([key, base64]) => [key, Uint8Array.fromBase64(base64)] as const))
    },
    async claim(namespace, name) {
      const claim = await found(client.get(persistentVolumeClaims, { namespace, name }))
      if (claim === undefined) return undefined
      const volumeName = claim.spec?.volumeName ?? ''
      if (claim.status?.phase !== 'Bound' || volumeName === '') return { path: undefined, problem: 'is not bound' }
      const volume = await found(client.get(persistentVolumes, { name: volumeName }))
      if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) return { path: undefined, problem: `is not bound to volume "${volumeName}"` }
      const path = volume?.spec?.hostPath?.path ?? volume?.spec?.local?.path
      const provisioned = volume?.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined
      return { path, provisioned, problem: `is bound to volume "${volumeName}", which is no path on this machine` }
    },
  }
}
