import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { requiredField } from '../checks/field-checks.ts'

const keyPattern = /^[-._a-zA-Z0-9]+$/
const keyMessage =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const longestKey = 253
const mostBytes = 1 << 20

const accountAnnotation = 'kubernetes.io/service-account.name'
/** Required JSON keys of secret types. */
const jsonKeys: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/dockercfg', '.dockercfg'],
  ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
])
const redacted = '<secret contents redacted>'

/** Validates keys, which become file names, and the total size. Pure. */
export function validateConfigMapData({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const texts = Object.entries(data)
  const bytes = Object.entries(binaryData)
  return [
    ...texts.flatMap(([key]) => [
      ...validateKey('data', key),
      ...(Object.hasOwn(binaryData, key) ? [invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')] : []),
    ]),
    ...bytes.flatMap(([key]) => validateKey('binaryData', key)),
    ...validateSize(sum(texts.map(([, text]) => Buffer.byteLength(text))) + sum(bytes.map(([, text]) => decodedLength(text)))),
  ]
}

/** Validates keys, size, and the keys that the secret's type requires. Pure. */
export function validateSecretData(secret: Secret): FieldError[] {
  const entries = Object.entries(secret.data ?? {})
  return [
    ...entries.flatMap(([key]) => validateKey('data', key)),
    ...validateSize(sum(entries.map(([, text]) => decodedLength(text)))),
    ...validateType(secret),
  ]
}

function validateKey(field: string, key: string): FieldError[] {
  return keyFaults(key).map((why) => invalidValue(`${field}[${key}]`, key, why))
}

function keyFaults(key: string): string[] {
  const faults: string[] = []
  if (key.length > longestKey) faults.push(`must be no more than ${longestKey} characters`)
  if (!keyPattern.test(key)) faults.push(keyMessage)
  if (key === '.' || key === '..') faults.push(`must not be '${key}'`)
  else if (key.startsWith('..')) faults.push("must not start with '..'")
  return faults
}

function validateSize(bytes: number): FieldError[] {
  return bytes <= mostBytes
    ? []
    : [{ reason: 'FieldValueTooLong', field: 'data', message: `Too long: may not be more than ${mostBytes} bytes` }]
}

function validateType({ type = '', data = {}, metadata }: Secret): FieldError[] {
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => requiredField(`data[${key}]`))
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return (metadata?.annotations?.[accountAnnotation] ?? '') === '' ? [requiredField(`metadata.annotations[${accountAnnotation}]`)] : []
    case 'kubernetes.io/basic-auth':
      return data['username'] === undefined && data['password'] === undefined ? missing('username', 'password') : []
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [requiredField('data[ssh-privatekey]')] : []
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    default: {
      const key = jsonKeys.get(type)
      return key === undefined ? [] : [...missing(key), ...validateJson(key, data[key])]
    }
  }
}

function validateJson(key: string, text: string | undefined): FieldError[] {
  if (text === undefined) return []
  try {
    JSON.parse(Buffer.from(text, 'base64').toString())
    return []
  } catch (error) {
    return [invalidValue(`data[${key}]`, redacted, error instanceof SyntaxError ? 'is not valid JSON' : String(error))]
  }
}

function decodedLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
