import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { validateConfigMapData, validateSecretData } from './data-keys.ts'
import { forbiddenField, immutableField } from '../checks/immutable-field.ts'

const locked = 'field is immutable when `immutable` is set'

interface Lockable {
  immutable?: boolean
  data?: Record<string, unknown>
  binaryData?: Record<string, unknown>
}

function validateLock(next: Lockable, old: Lockable | undefined, fields: readonly ('data' | 'binaryData')[]): FieldError[] {
  if (old?.immutable !== true) return []
  const changed = (field: 'data' | 'binaryData'): boolean => !deepEqual(next[field], old[field])
  return [
    ...(next.immutable === true ? [] : [forbiddenField('immutable', locked)]),
    ...fields.filter(changed).map((field) => forbiddenField(field, locked)),
  ]
}

/** `immutable: true` is permanent. */
export const configMapStrategy: Strategy = {
  validate: (object, old) => [
    ...validateConfigMapData(object as ConfigMap),
    ...validateLock(object as ConfigMap, old as ConfigMap | undefined, ['data', 'binaryData']),
  ],
}

/** Merges `stringData` into `data`; the type is immutable, and `immutable: true` is permanent. */
export const secretStrategy: Strategy = {
  prepareForCreate: (object) => encoded(object as Secret),
  prepareForUpdate: (object, old) => encoded({ ...(object as Secret), type: (object as Secret).type ?? (old as Secret).type ?? opaque }),
  prepareForApply: (config) => withoutStringData(config as Secret),
  validate(object, old) {
    const secret = object as Secret
    const before = old as Secret | undefined
    return [
      ...validateSecretData(secret),
      ...(before === undefined ? [] : immutableField('type', secret.type, before.type)),
      ...validateLock(secret, before, ['data']),
    ]
  },
}

const opaque = 'Opaque'

function encoded(secret: Secret): Secret {
  return { ...withoutStringData(secret), type: secret.type ?? opaque }
}

function withoutStringData(secret: Secret): Secret {
  const { stringData, ...rest } = secret
  if (stringData === undefined || stringData === null) return rest
  const data = Object.fromEntries(Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
  return { ...rest, data: { ...rest.data, ...data } }
}
