import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, forbiddenValue, invalidValue, quote, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { goBytes, invalidShown } from './checks/go-values.ts'

const shortestSeconds = 600
const usages: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]
const opposites: ReadonlyMap<string, string> = new Map([
  ['Approved', 'Denied'],
  ['Denied', 'Approved'],
])
const settled = ['Approved', 'Denied', 'Failed']

/** Strategy of CertificateSigningRequests. The spec is immutable, as approvers decide on it. */
export const certificateRequestStrategy: Strategy = {
  prepareForUpdate(object, old) {
    const next: CertificateSigningRequest = { ...(object as CertificateSigningRequest), spec: (old as CertificateSigningRequest).spec }
    return next
  },
  validate: (object, old) =>
    old === undefined
      ? specFaults((object as CertificateSigningRequest).spec)
      : statusFaults(object as CertificateSigningRequest, old as CertificateSigningRequest),
}

function specFaults({ request, signerName, usages: wanted = [], expirationSeconds }: CertificateSigningRequest['spec']): FieldError[] {
  return [
    ...(/-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/.test(Buffer.from(request, 'base64').toString('latin1'))
      ? []
      : [invalidShown('spec.request', goBytes(Buffer.from(request, 'base64')), 'PEM block type must be CERTIFICATE REQUEST')]),
    ...(wanted.length === 0 ? [requiredValue('spec.usages')] : []),
    ...wanted.flatMap((usage, index) => {
      if (!usages.includes(usage)) return [unsupportedValue(`spec.usages[${index}]`, usage, usages)]
      return wanted.indexOf(usage) < index ? [duplicateValue(`spec.usages[${index}]`, usage)] : []
    }),
    ...signerFaults(signerName),
    ...(expirationSeconds !== undefined && expirationSeconds < shortestSeconds
      ? [invalidValue('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 600 seconds (10 minutes)')]
      : []),
  ]
}

/** A signer is a domain and a path. */
function signerFaults(signerName: string): FieldError[] {
  const field = 'spec.signerName'
  if (signerName === '') return [requiredValue(field)]
  if (signerName === 'kubernetes.io/legacy-unknown')
    return [invalidValue(field, signerName, 'the legacy signerName is not allowed via this API version')]
  const [domain = '', ...path] = signerName.split('/')
  const [name = ''] = path
  if (path.length !== 1)
    return [invalidValue(field, signerName, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  const labels = domain.split('.')
  return [
    ...(labels.length < 2 ? [invalidValue(field, domain, 'should be a domain with at least two segments separated by dots')] : []),
    ...validateName(domain, 'dns-subdomain').map((why) => invalidValue(field, domain, why)),
    ...validateName(name, 'dns-subdomain').map((why) => invalidValue(field, name, `validating label ${quote(name)}: ${why}`)),
  ]
}

function statusFaults({ status: next }: CertificateSigningRequest, { status: before }: CertificateSigningRequest): FieldError[] {
  const types = (next?.conditions ?? []).map(({ type }) => type)
  const removed = (before?.conditions ?? []).filter(({ type }) => settled.includes(type) && !types.includes(type))
  const certificate = before?.certificate ?? ''
  return [
    ...(next?.conditions ?? []).flatMap(({ type, status }, index) => [
      ...(settled.includes(type) && status !== 'True' ? [unsupportedValue(`status.conditions[${index}].status`, status, ['True'])] : []),
      ...(opposites.get(type) !== undefined && types.slice(0, index).includes(opposites.get(type) ?? '')
        ? [invalidValue(`status.conditions[${index}].type`, type, 'Approved and Denied conditions are mutually exclusive')]
        : []),
    ]),
    ...removed.map(({ type }) => forbiddenValue('status.conditions', `updates may not remove a condition of type ${quote(type)}`)),
    ...(certificate !== '' && (next?.certificate ?? '') !== certificate
      ? [forbiddenValue('status.certificate', 'updates may not change existing certificate content')]
      : []),
    ...certificateFaults(next?.certificate ?? '', certificate),
  ]
}

/** The value is not shown, as it may be anything. */
function certificateFaults(next: string, before: string): FieldError[] {
  if (next === before || next === '') return []
  if (Buffer.from(next, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE-----')) return []
  return [invalidValue('status.certificate', '<certificate data>', 'must contain at least one CERTIFICATE PEM block')]
}
