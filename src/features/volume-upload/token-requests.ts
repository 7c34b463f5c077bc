import { badRequest, notFound } from '#apimachinery/errors.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { AggregatedAnswer, AggregatedGroup, AggregatedRequest } from '#runtime/aggregated/aggregated-group.ts'
import { uploadGroupName, uploadVersion } from './publisher/index.ts'
import type { UploadTokens } from './upload-tokens.ts'

/** Returns the group of token requests. They are answered, and never stored. */
export function uploadGroup(ports: { readonly client: Pick<Client, 'get'>; readonly tokens: Pick<UploadTokens, 'sign'> }): AggregatedGroup {
  return {
    group: uploadGroupName,
    versions: [uploadVersion],
    resources: [
      {
        resource: 'uploadtokenrequests',
        responseKind: { group: uploadGroupName, version: uploadVersion, kind: 'UploadTokenRequest' },
        handlers: { POST: (request) => answer(ports, request) },
      },
    ],
  }
}

interface TokenRequest {
  readonly metadata?: object
  readonly spec?: { readonly pvcName?: unknown }
}

async function answer(
  { client, tokens }: Parameters<typeof uploadGroup>[0],
  { namespace, body, signal }: AggregatedRequest,
): Promise<AggregatedAnswer> {
  const { metadata = {}, spec } = parse(body)
  const name = spec?.pvcName
  if (typeof name !== 'string' || name === '') throw badRequest('spec.pvcName must name a PersistentVolumeClaim')
  const claim = await found(client.get(persistentVolumeClaims, { namespace, name }, { signal }))
  if (claim === undefined) throw notFound(persistentVolumeClaims, name)
  return {
    code: 200,
    body: {
      apiVersion: `${uploadGroupName}/${uploadVersion}`,
      kind: 'UploadTokenRequest',
      metadata: { ...metadata, namespace },
      spec: { pvcName: name },
      status: { token: tokens.sign({ namespace, name }) },
    },
  }
}

function parse(body: string): TokenRequest {
  try {
    const value = JSON.parse(body) as unknown
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The answer is the same.
  }
  throw badRequest('the body must be an UploadTokenRequest as JSON')
}
