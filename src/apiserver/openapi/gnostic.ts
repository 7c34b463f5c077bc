import protobuf from 'protobufjs/minimal.js'
import type { PublishedSchema } from './meta-schemas.ts'
import type { SwaggerDocument, SwaggerOperation, SwaggerParameter, SwaggerPathItem } from './v2-document.ts'

type Writer = protobuf.Writer
type Write = (writer: Writer) => void

/**
 * Protobuf encoding of Swagger 2.0 by gnostic's OpenAPIv2.proto, which kubectl before 1.29
 * requires. Covers the fields of our documents.
 */
const bytesWire = 2
const varintWire = 0
const fixed64Wire = 1

function text(writer: Writer, field: number, value: unknown): void {
  if (typeof value === 'string' && value !== '') writer.uint32((field << 3) | bytesWire).string(value)
}
function flag(writer: Writer, field: number, value: unknown): void {
  if (value === true) writer.uint32((field << 3) | varintWire).bool(true)
}
function integer(writer: Writer, field: number, value: unknown): void {
  if (typeof value === 'number') writer.uint32((field << 3) | varintWire).int64(value)
}
function double(writer: Writer, field: number, value: unknown): void {
  if (typeof value === 'number') writer.uint32((field << 3) | fixed64Wire).double(value)
}
function message(writer: Writer, field: number, write: Write): void {
  writer.uint32((field << 3) | bytesWire).fork()
  write(writer)
  writer.ldelim()
}
function texts(writer: Writer, field: number, values: unknown): void {
  if (Array.isArray(values)) for (const value of values) writer.uint32((field << 3) | bytesWire).string(String(value))
}
/** NamedX: 1 name, 2 value. */
function named(writer: Writer, field: number, name: string, write: Write): void {
  message(writer, field, (inner) => {
    text(inner, 1, name)
    message(inner, 2, write)
  })
}
/** Any: 2 yaml. JSON is YAML. */
function anyValue(value: unknown): Write {
  return (writer) => text(writer, 2, JSON.stringify(value))
}
function extensions(writer: Writer, field: number, source: object): void {
  for (const [key, value] of Object.entries(source)) if (key.startsWith('x-')) named(writer, field, key, anyValue(value))
}

function schema(source: PublishedSchema): Write {
  return (writer) => {
    text(writer, 1, source['$ref'])
    text(writer, 2, source['format'])
    text(writer, 3, source['title'])
    text(writer, 4, source['description'])
    if (source['default'] !== undefined) message(writer, 5, anyValue(source['default']))
    double(writer, 6, source['multipleOf'])
    double(writer, 7, source['maximum'])
    flag(writer, 8, source['exclusiveMaximum'])
    double(writer, 9, source['minimum'])
    flag(writer, 10, source['exclusiveMinimum'])
    integer(writer, 11, source['maxLength'])
    integer(writer, 12, source['minLength'])
    text(writer, 13, source['pattern'])
    integer(writer, 14, source['maxItems'])
    integer(writer, 15, source['minItems'])
    flag(writer, 16, source['uniqueItems'])
    integer(writer, 17, source['maxProperties'])
    integer(writer, 18, source['minProperties'])
    texts(writer, 19, source['required'])
    if (Array.isArray(source['enum'])) for (const value of source['enum']) message(writer, 20, anyValue(value))
    const additional = source['additionalProperties']
    if (typeof additional === 'object' && additional !== null)
      message(writer, 21, (inner) => message(inner, 1, schema(additional as PublishedSchema)))
    else if (typeof additional === 'boolean') message(writer, 21, (inner) => inner.uint32((2 << 3) | varintWire).bool(additional))
    if (typeof source['type'] === 'string') message(writer, 22, (inner) => texts(inner, 1, [source['type']]))
    const { items, properties } = source as { items?: PublishedSchema; properties?: Record<string, PublishedSchema> }
    if (items !== undefined) message(writer, 23, (inner) => message(inner, 1, schema(items)))
    if (properties !== undefined) {
      message(writer, 25, (inner) => {
        for (const [name, child] of Object.entries(properties)) named(inner, 1, name, schema(child))
      })
    }
    extensions(writer, 31, source)
  }
}

/**
 * ParametersItem: 1 parameter, which is 1 a body or 2 something else, which in turn is 3 of the
 * query or 4 of the path.
 */
function parameter(source: SwaggerParameter): Write {
  if (source.in === 'body') {
    return (item) =>
      message(item, 1, (writer) =>
        message(writer, 1, (body) => {
          text(body, 1, source.description)
          text(body, 2, source.name)
          text(body, 3, source.in)
          flag(body, 4, source.required)
          if (source.schema !== undefined) message(body, 5, schema(source.schema))
        }),
      )
  }
  const [kind, typeField] = source.in === 'query' ? [3, 6] : [4, 5]
  return (item) =>
    message(item, 1, (writer) =>
      message(writer, 2, (other) =>
        message(other, kind, (inner) => {
          flag(inner, 1, source.required)
          text(inner, 2, source.in)
          text(inner, 3, source.description)
          text(inner, 4, source.name)
          text(inner, typeField, source.type)
        }),
      ),
    )
}

function operation(source: SwaggerOperation): Write {
  return (writer) => {
    text(writer, 3, source.description)
    text(writer, 5, source.operationId)
    texts(writer, 6, source.produces)
    texts(writer, 7, source.consumes)
    for (const item of source.parameters) message(writer, 8, parameter(item))
    message(writer, 9, (responses) => {
      for (const [code, response] of Object.entries(source.responses)) {
        named(responses, 1, code, (value) =>
          message(value, 1, (inner) => {
            text(inner, 1, response.description)
            message(inner, 2, (item) => message(item, 1, schema(response.schema)))
          }),
        )
      }
    })
    extensions(writer, 13, source)
  }
}

const methodFields = { get: 2, put: 3, post: 4, delete: 5, patch: 8 } as const

function pathItem(source: SwaggerPathItem): Write {
  return (writer) => {
    for (const [method, field] of Object.entries(methodFields)) {
      const found = source[method as keyof typeof methodFields]
      if (found !== undefined) message(writer, field, operation(found))
    }
    for (const item of source.parameters) message(writer, 9, parameter(item))
  }
}

/** Encodes a document. */
export function encodeGnostic(document: SwaggerDocument): Uint8Array {
  const writer = protobuf.Writer.create()
  text(writer, 1, document.swagger)
  message(writer, 2, (info) => {
    text(info, 1, document.info.title)
    text(info, 2, document.info.version)
  })
  message(writer, 8, (paths) => {
    for (const [path, item] of Object.entries(document.paths)) named(paths, 2, path, pathItem(item))
  })
  message(writer, 9, (definitions) => {
    for (const [name, definition] of Object.entries(document.definitions)) named(definitions, 1, name, schema(definition))
  })
  return writer.finish()
}
