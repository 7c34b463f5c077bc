import { decodeBase64 } from '#apimachinery/cel/values/json-values.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import { traversal } from '../costs.ts'

const once = { cost: traversal(0) }

/** Functions that encode and decode. */
export const encoders: readonly Overload[] = [
  overload('base64_decode_string', 'base64.decode(string): bytes', ([text]) => decodeBase64(text as string), once),
  overload('base64_encode_bytes', 'base64.encode(bytes): string', ([bytes]) => (bytes as Uint8Array).toBase64(), once),
  overload(
    'jsonpatch_escape_key',
    'jsonpatch.escapeKey(string): string',
    ([text]) => (text as string).replaceAll('~', '~0').replaceAll('/', '~1'),
    once,
  ),
]
