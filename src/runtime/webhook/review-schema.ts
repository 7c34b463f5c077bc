import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

const text: StructuralSchema = { type: 'string' }
const kind: StructuralSchema = {
  type: 'object',
  required: ['group', 'version', 'kind'],
  properties: { group: text, version: text, kind: text },
}
const resource: StructuralSchema = {
  type: 'object',
  required: ['group', 'version', 'resource'],
  properties: { group: text, version: text, resource: text },
}
const object: StructuralSchema = {
  type: 'object',
  nullable: true,
  properties: { apiVersion: text, kind: text, metadata: { type: 'object' } },
}
const userInfo: StructuralSchema = {
  type: 'object',
  properties: {
    username: text,
    uid: text,
    groups: { type: 'array', items: text },
    extra: { type: 'object', additionalProperties: { type: 'array', items: text } },
  },
}

/** Shape of `admission.k8s.io/v1` AdmissionRequest, as far as handlers rely on it. */
export const requestSchema: StructuralSchema = {
  type: 'object',
  required: ['uid', 'operation', 'kind', 'resource', 'userInfo'],
  properties: {
    uid: { type: 'string', minLength: 1 },
    operation: { type: 'string', enum: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] },
    kind,
    resource,
    requestKind: { ...kind, nullable: true },
    requestResource: { ...resource, nullable: true },
    subResource: text,
    requestSubResource: text,
    name: text,
    namespace: text,
    dryRun: { type: 'boolean', nullable: true },
    userInfo,
    object,
    oldObject: object,
    options: { type: 'object', nullable: true },
  },
}
