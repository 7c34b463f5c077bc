import type { Overload } from '../signature.ts'
import { authorization } from './authorization.ts'
import { conversions } from './conversions.ts'
import { encoders } from './encoders.ts'
import { lists } from './lists.ts'
import { math } from './math.ts'
import { operators } from './operators.ts'
import { optionals } from './optionals.ts'
import { regex } from './regex.ts'
import { sets } from './sets.ts'
import { strings } from './strings.ts'
import { times } from './times.ts'

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
]
