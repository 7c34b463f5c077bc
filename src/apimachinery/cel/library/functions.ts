import type { Overload } from '../types/signature.ts'
import { addresses } from './network/addresses.ts'
import { authorization } from './kubernetes/authorization.ts'
import { conversions } from './conversions.ts'
import { encoders } from './text/encoders.ts'
import { formats } from './text/formats.ts'
import { lists } from './lists.ts'
import { math } from './math.ts'
import { operators } from './operators.ts'
import { optionals } from './optionals.ts'
import { quantities } from './kubernetes/quantities.ts'
import { regex } from './text/regex.ts'
import { sets } from './sets.ts'
import { strings } from './text/strings.ts'
import { times } from './times.ts'
import { urls } from './network/urls.ts'
import { versions } from './kubernetes/versions.ts'

/** All functions of Kubernetes' CEL. */
export const functions: readonly Overload[] = [
  ...operators,
  ...conversions,
  ...times,
  ...strings,
  ...regex,
  ...lists,
  ...sets,
  ...optionals,
  ...math,
  ...encoders,
  ...authorization,
  ...quantities,
  ...addresses,
  ...urls,
  ...versions,
  ...formats,
]
