import protobuf from 'protobufjs/minimal.js'
import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { messageFields } from './message-fields.ts'

type Reader = protobuf.Reader
type JsonObject = Record<string, unknown>

interface Field {
  readonly json: string
  readonly type: string
  readonly repeated: boolean
  readonly map: boolean
  readonly optional: boolean
  readonly always: boolean
  readonly inline: boolean
}

/** Prefix of every protobuf body. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00])
/** Kinds that clients send under the version of any group. */
const metaKinds: ReadonlySet<string> = new Set(['DeleteOptions', 'Status'])

function parseFields(source: string): ReadonlyMap<number, Field> {
  const fields = new Map<number, Field>()
  for (const part of source.split(' ')) {
    const [number = '', json = '', rest = ''] = part.split(':')
    const [, type = '', flags = ''] = /^([\w./]+)(.*)$/.exec(rest) ?? []
    fields.set(Number(number), {
      json,
      type,
      repeated: flags.includes('*'),
      map: flags.includes('#'),
      optional: flags.includes('?'),
      always: flags.includes('!'),
      inline: flags.includes('~'),
    })
  }
  return fields
}

const messages: ReadonlyMap<string, ReadonlyMap<number, Field>> = new Map(
  Object.entries(messageFields).map(([name, source]) => [name, parseFields(source)]),
)

function readFields(reader: Reader, read: (number: number, wire: number) => boolean): void {
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (!read(tag >>> 3, tag & 7)) reader.skipType(tag & 7)
  }
}

function nested(reader: Reader): Reader {
  return protobuf.Reader.create(reader.bytes())
}

/** Seconds since the epoch and nanoseconds; an empty message is no time. */
function readTime(reader: Reader, fraction: boolean): string | undefined {
  if (reader.len === 0) return undefined
  let seconds = 0
  let nanos = 0
  readFields(reader, (number) => {
    if (number === 1) seconds = Number(reader.int64())
    else if (number === 2) nanos = reader.int32()
    else return false
    return true
  })
  const text = new Date(seconds * 1000).toISOString().slice(0, 19)
  return fraction ? `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${text}Z`
}

/** Formats nanoseconds as Go does: `1h2m3.5s`. */
export function goDuration(nanoseconds: number): string {
  if (nanoseconds === 0) return '0s'
  const sign = nanoseconds < 0 ? '-' : ''
  const value = Math.abs(nanoseconds)
  if (value < 1e3) return `${sign}${value}ns`
  if (value < 1e6) return `${sign}${value / 1e3}µs`
  if (value < 1e9) return `${sign}${value / 1e6}ms`
  const total = value / 1e9
  const hours = Math.floor(total / 3600)
  const minutes = Math.floor((total % 3600) / 60)
  const seconds = Number((total - hours * 3600 - minutes * 60).toFixed(9))
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`
}

function readIntOrString(reader: Reader): number | string {
  let isString = false
  let integer = 0
  let text = ''
  readFields(reader, (number) => {
    if (number === 1) isString = Number(reader.int64()) === 1
    else if (number === 2) integer = reader.int32()
    else if (number === 3) text = reader.string()
    else return false
    return true
  })
  return isString ? text : integer
}

/** Reads field 1 of a wrapper message. */
function unwrap<T>(reader: Reader, read: (reader: Reader) => T, initial: T): T {
  let value = initial
  readFields(reader, (number) => {
    if (number !== 1) return false
    value = read(reader)
    return true
  })
  return value
}

function readStrings(reader: Reader): string[] {
  const values: string[] = []
  readFields(reader, (number) => number === 1 && values.push(reader.string()) > 0)
  return values
}

function readEmbeddedJson(reader: Reader): unknown {
  const bytes = unwrap<Uint8Array>(reader, (inner) => inner.bytes(), new Uint8Array())
  return bytes.length === 0 ? undefined : (JSON.parse(Buffer.from(bytes).toString()) as unknown)
}

/** Reads a field that is a JSON schema or a simpler value, by field numbers. */
function readSchemaOr(reader: Reader, fields: { schema: number; bool?: number; schemas?: number; strings?: number }): unknown {
  let result: unknown
  const several: unknown[] = []
  readFields(reader, (number) => {
    if (number === fields.schema) result = readMessage(nested(reader), 'apiextensions.JSONSchemaProps')
    else if (number === fields.bool) result ??= reader.bool()
    else if (number === fields.schemas) several.push(readMessage(nested(reader), 'apiextensions.JSONSchemaProps'))
    else if (number === fields.strings) several.push(reader.string())
    else return false
    return true
  })
  return several.length > 0 ? several : result
}

/** Reads a value; undefined for a zero that JSON would omit. */
function readValue(reader: Reader, type: string): unknown {
  switch (type) {
    case 's':
      return reader.string()
    case 'i':
      return Number(reader.int64())
    case 'b':
      return reader.bool()
    case 'd':
      return reader.double()
    case 'y':
      return Buffer.from(reader.bytes()).toString('base64')
    case 'time':
      return readTime(nested(reader), false)
    case 'microtime':
      return readTime(nested(reader), true)
    case 'duration':
      return goDuration(unwrap(nested(reader), (inner) => Number(inner.int64()), 0))
    case 'quantity':
      return unwrap(nested(reader), (inner) => inner.string(), '') || '0'
    case 'intstr':
      return readIntOrString(nested(reader))
    case 'json':
      return readEmbeddedJson(nested(reader))
    case 'strings':
      return readStrings(nested(reader))
    case 'schemaorbool':
      return readSchemaOr(nested(reader), { bool: 1, schema: 2 })
    case 'schemaorlist':
      return readSchemaOr(nested(reader), { schema: 1, schemas: 2 })
    case 'schemaorstrings':
      return readSchemaOr(nested(reader), { schema: 1, strings: 2 })
    default:
      return readMessage(nested(reader), type)
  }
}

/** Reports whether Go's JSON omits the value (omitempty). */
function isZero(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function readMapEntry(reader: Reader, type: string): [string, unknown] {
  let key = ''
  let value: unknown
  readFields(reader, (number) => {
    if (number === 1) key = reader.string()
    else if (number === 2) value = readValue(reader, type)
    else return false
    return true
  })
  return [key, value ?? (type === 'y' || type === 's' ? '' : value)]
}

function setOwn(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

function readRepeated(reader: Reader, field: Field, wire: number): unknown[] {
  // Repeated numbers may be packed into one field.
  if (wire !== 2 || (field.type !== 'i' && field.type !== 'b' && field.type !== 'd')) return [readValue(reader, field.type)]
  const inner = nested(reader)
  const values: unknown[] = []
  while (inner.pos < inner.len) values.push(readValue(inner, field.type))
  return values
}

function readMessage(reader: Reader, message: string): JsonObject {
  const fields = messages.get(message)
  const result: JsonObject = {}
  readFields(reader, (number, wire) => {
    const field = fields?.get(number)
    if (field === undefined) return false
    if (field.inline) Object.assign(result, readValue(reader, field.type))
    else if (field.map) {
      const map = (result[field.json] ??= {}) as JsonObject
      const [key, value] = readMapEntry(nested(reader), field.type)
      setOwn(map, key, value)
    } else if (field.repeated) {
      result[field.json] = [...((result[field.json] as unknown[] | undefined) ?? []), ...readRepeated(reader, field, wire)]
    } else {
      const value = readValue(reader, field.type)
      // Go encodes required fields even when empty; only optional ones are then significant.
      if (value !== undefined && (field.optional || field.always || !isZero(value))) result[field.json] = value
    }
    return true
  })
  return result
}

function messageOf(apiVersion: string, kind: string): string | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  if (metaKinds.has(kind)) return `meta.${kind}`
  const name = group === '' ? 'core' : (group.split('.', 1)[0] ?? group)
  return version === 'v1' ? `${name}.${kind}` : `${name}/${version}.${kind}`
}

/**
 * Decodes a protobuf body. @returns undefined for a kind without an encoding. @throws StatusError
 * 400 for a malformed body
 */
export function decodeProtobuf(bytes: Buffer): KubeObject | undefined {
  if (!bytes.subarray(0, magic.length).equals(magic))
    throw badRequest('the body is not a protobuf object: it does not begin with the Kubernetes magic number')
  try {
    let apiVersion = ''
    let kind = ''
    let raw: Uint8Array = new Uint8Array()
    const envelope = protobuf.Reader.create(bytes.subarray(magic.length))
    readFields(envelope, (number) => {
      if (number === 2) raw = envelope.bytes()
      else if (number === 1) {
        const type = nested(envelope)
        readFields(type, (part) => {
          if (part === 1) apiVersion = type.string()
          else if (part === 2) kind = type.string()
          else return false
          return true
        })
      } else return false
      return true
    })
    const message = messageOf(apiVersion, kind)
    if (message === undefined || !messages.has(message)) return undefined
    return { apiVersion, kind, ...readMessage(protobuf.Reader.create(raw), message) }
  } catch (error) {
    throw badRequest(`the body is not a valid protobuf object: ${error instanceof Error ? error.message : String(error)}`)
  }
}
