import { CelError } from '#apimachinery/cel/errors.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import { type CelOpaque, type CelValue, listValue, mapValue } from '#apimachinery/cel/values/values.ts'
import { traversal } from '../costs.ts'
import { type ParsedUrl, parseQuery, parseUrl } from './url.ts'

const urlOf = (value: CelValue | undefined): ParsedUrl => (value as CelOpaque).value as ParsedUrl

function urlValue(url: ParsedUrl): CelValue {
  return { kind: 'opaque', typeName: 'kubernetes.URL', value: url, equals: (other) => (other as ParsedUrl).text === url.text }
}

function read(text: string): CelValue {
  const url = parseUrl(text)
  if (url === undefined) {
    throw new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`)
  }
  return urlValue(url)
}

const once = { cost: traversal(0) }

/** URLs. */
export const urls: readonly Overload[] = [
  overload('string_to_url', 'url(string): URL', ([text]) => read(text as string), once),
  overload('is_url_string', 'isURL(string): bool', ([text]) => parseUrl(text as string) !== undefined),
  overload('url_get_scheme', 'URL.getScheme(): string', ([url]) => urlOf(url).scheme),
  overload('url_get_host', 'URL.getHost(): string', ([url]) => urlOf(url).host),
  overload('url_get_hostname', 'URL.getHostname(): string', ([url]) => urlOf(url).hostname),
  overload('url_get_port', 'URL.getPort(): string', ([url]) => urlOf(url).port),
  overload('url_get_escaped_path', 'URL.getEscapedPath(): string', ([url]) => urlOf(url).path),
  overload('url_get_query', 'URL.getQuery(): map(string, list(string))', ([url]) =>
    mapValue(Array.from(parseQuery(urlOf(url).query), ([key, values]) => [key, listValue(values)])),
  ),
]
