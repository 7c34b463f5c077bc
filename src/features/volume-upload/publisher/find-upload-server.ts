import { apiServices } from '#api/apiregistration/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { uploadGroupName, uploadVersion } from './api-services.ts'

/** Where an upload goes, or why nowhere. */
export type UploadRoute =
  | {
      readonly namespace: string
      readonly service: string
      readonly port: number
      readonly url: string
      /** Authorities of the certificate of the server, in PEM. */
      readonly authorities: string
    }
  | { readonly code: number; readonly text: string }

/**
 * Finds the upload proxy, which the server of the APIService of token requests is. The token is
 * checked by the proxy.
 */
export async function findUploadServer(client: Pick<Client, 'get'>, url: string): Promise<UploadRoute> {
  const api = await found(client.get(apiServices, { name: `${uploadVersion}.${uploadGroupName}` }))
  const { service, caBundle = '' } = api?.spec ?? {}
  if (service === undefined || service === null)
    return { code: 503, text: 'uploads are not taken yet: the APIService of uploads does not exist. Try again' }
  const { namespace = '', name = '', port = 443 } = service
  return { namespace, service: name, port, url, authorities: Buffer.from(caBundle, 'base64').toString() }
}
