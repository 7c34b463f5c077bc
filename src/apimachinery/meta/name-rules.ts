const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const dns1035Label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const dns1035LabelMessage =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const qualifiedPartMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/** Character set and length limit of a name. */
export type NameKind = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment'

function tooLong(bytes: number): string {
  return `must be no more than ${bytes} bytes`
}

/** Length in UTF-8, the unit of Kubernetes' limits. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    // A surrogate pair is two units and four bytes, so each half adds one more.
    if (unit >= 0xd800 && unit <= 0xdfff) bytes += 1
    else if (unit >= 0x800) bytes += 2
    else if (unit >= 0x80) bytes += 1
  }
  return bytes
}

function validateSubdomain(name: string): string[] {
  const messages: string[] = []
  if (byteLength(name) > 253) messages.push(tooLong(253))
  if (!subdomain.test(name)) messages.push(subdomainMessage)
  return messages
}

function validateLabelName(name: string, form: RegExp, message: string): string[] {
  const messages: string[] = []
  if (byteLength(name) > 63) messages.push(tooLong(63))
  // A valid subdomain that is no valid label has dots.
  if (!form.test(name)) messages.push(form === label && subdomain.test(name) ? 'must not contain dots' : message)
  return messages
}

function validatePathSegment(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`)
}

/** Returns the errors of a name, in Kubernetes' wording; empty for a valid one. */
export function validateName(name: string, kind: NameKind): string[] {
  switch (kind) {
    case 'dns-subdomain':
      return validateSubdomain(name)
    case 'dns-label':
      return validateLabelName(name, label, labelMessage)
    case 'dns-1035-label':
      return validateLabelName(name, dns1035Label, dns1035LabelMessage)
    case 'path-segment':
      return validatePathSegment(name)
  }
}

/**
 * Returns the errors of a generateName prefix. A trailing dash is valid, because random characters
 * follow it.
 */
export function validateNamePrefix(prefix: string, kind: NameKind): string[] {
  return validateName(kind !== 'path-segment' && prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix, kind)
}

function validateQualifiedPart(part: string): string[] {
  const messages: string[] = []
  if (part === '') messages.push('name part must be non-empty')
  else if (byteLength(part) > 63) messages.push(`name part ${tooLong(63)}`)
  if (!qualifiedPart.test(part)) messages.push(`name part ${qualifiedPartMessage}`)
  return messages
}

/**
 * Returns the errors of `[prefix/]name`, the format of label and annotation keys and finalizers;
 * empty for a valid one.
 */
export function validateQualifiedName(name: string): string[] {
  const [first = '', second, ...rest] = name.split('/')
  if (second === undefined) return validateQualifiedPart(first)
  if (rest.length > 0) {
    return [`a qualified name ${qualifiedPartMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const prefix = first === '' ? ['prefix part must be non-empty'] : validateSubdomain(first).map((message) => `prefix part ${message}`)
  return [...prefix, ...validateQualifiedPart(second)]
}

/** Returns the errors of a label value; empty for a valid one. */
export function validateLabelValue(value: string): string[] {
  const messages: string[] = []
  if (byteLength(value) > 63) messages.push(tooLong(63))
  if (!labelValue.test(value)) messages.push(labelValueMessage)
  return messages
}
