import type { Overload } from '../signature.ts'
import { addresses } from './addresses.ts'
import { authorization } from './authorization.ts'
import { conversions } from './conversions.ts'
import { encoders } from './encoders.ts'
import { formats } from './formats.ts'
import { lists } from './lists.ts'
import { math } from './math.ts'
import { operators } from './operators.ts'
import { optionals } from './optionals.ts'
import { quantities } from './quantities.ts'
import { regex } from './regex.ts'
import { sets } from './sets.ts'
import { strings } from './strings.ts'
import { times } from './times.ts'
import { urls } from './urls.ts'
import { versions } from './versions.ts'

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
