import { parseExactJson } from '#apimachinery/json/long-integers.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { bodyFormat } from '#apiserver/request/content-negotiation.ts'
import type { AuditEvent, RecordedBodies } from './audit-event.ts'

/** Larger bodies are omitted, which the event says. */
const maxBodyBytes = 100 * 1024

type JsonObject = Record<string, unknown>

async function parse(bytes: Buffer, contentType: string | undefined): Promise<unknown> {
  try {
    const format = bodyFormat(contentType)
    if (format === 'protobuf') return (await import('#apiserver/protobuf/decode.ts')).decodeProtobuf(bytes)
    if (format === 'yaml') return (await import('yaml')).parse(bytes.toString(), { maxAliasCount: 100 }) as unknown
    return parseExactJson(bytes.toString())
  } catch {
    // The request was refused for it.
    return undefined
  }
}

function withoutManagedFields(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const { metadata, items, ...rest } = value as JsonObject
  const { managedFields: _, ...kept } = (isJsonObject(metadata) ? metadata : {}) as JsonObject
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: kept }),
    ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}),
  }
}

/** Name of a created object. */
function namedRef({ objectRef }: AuditEvent, body: unknown): Pick<AuditEvent, 'objectRef'> {
  if (objectRef === undefined || objectRef.name !== undefined || !isJsonObject(body)) return {}
  const { metadata } = body as { metadata?: { name?: unknown } }
  return typeof metadata?.name === 'string' ? { objectRef: { ...objectRef, name: metadata.name } } : {}
}

/** Adds bodies to an event as its level allows. */
export async function withBodies(event: AuditEvent, bodies: RecordedBodies): Promise<AuditEvent> {
  const { request, response, omitManagedFields = false } = bodies
  if (request === undefined && response === undefined) return event
  const shown = (value: unknown): object => (omitManagedFields ? withoutManagedFields(value) : value) as object
  const truncated = [request?.bytes, response].some((bytes) => bytes !== undefined && bytes.length > maxBodyBytes)
  const read = async (bytes: Buffer | undefined, type: string | undefined): Promise<unknown> =>
    bytes === undefined || bytes.length === 0 || bytes.length > maxBodyBytes ? undefined : parse(bytes, type)
  const requestObject = await read(request?.bytes, request?.contentType)
  const responseObject = event.level === 'RequestResponse' ? await read(response, undefined) : undefined
  return {
    ...event,
    ...namedRef(event, requestObject),
    ...(event.level === 'Metadata' || requestObject === undefined ? {} : { requestObject: shown(requestObject) }),
    ...(responseObject === undefined ? {} : { responseObject: shown(responseObject) }),
    ...(truncated && event.level !== 'Metadata' ? { annotations: { ...event.annotations, 'audit.k8s.io/truncated': 'true' } } : {}),
  }
}
