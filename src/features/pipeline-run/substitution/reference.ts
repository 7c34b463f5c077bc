/** A reference to a value: `$(tasks.build.results.digest)`, `$(params["a.b"][*])`. */
export interface Reference {
  /** `$(…)` as it is written. */
  readonly text: string
  /** `['tasks', 'build', 'results', 'digest']` */
  readonly segments: readonly string[]
  /** `[*]`: the whole array. */
  readonly isWhole: boolean
  /** `[0]` */
  readonly index?: number
}

/** What Tekton replaces; anything else in `$(…)` belongs to shells. */
const roots = 'params|inputs|tasks|finally|workspaces|context|results|steps|step|artifacts|credentials'
const pattern = new RegExp(String.raw`\$\((${roots})((?:\.[\w-]+|\["[^"]*"\]|\['[^']*'\])+)(\[\*\]|\[\d+\])?\)`, 'g')
const segmentPattern = /\.([\w-]+)|\["([^"]*)"\]|\['([^']*)'\]/g

/** Returns the references in a text. Pure. */
export function referencesIn(text: string): readonly Reference[] {
  return [...text.matchAll(pattern)].map(([whole, root = '', path = '', last]) => referenceOf(whole, root, path, last))
}

/** Replaces each reference in a text. Pure. */
export function replaceReferences(text: string, replace: (reference: Reference) => string): string {
  return text.replaceAll(pattern, (whole: string, root: string, path: string, last: string | undefined) =>
    replace(referenceOf(whole, root, path, last)),
  )
}

/** Returns the reference that a text consists of, if it is nothing else. */
export function onlyReference(text: string): Reference | undefined {
  const [first] = referencesIn(text)
  return first?.text === text ? first : undefined
}

function referenceOf(text: string, root: string, path: string, last: string | undefined): Reference {
  const rest = [...path.matchAll(segmentPattern)].map(([, plain, double, single]) => plain ?? double ?? single ?? '')
  // The old spelling of `params`.
  const segments = root === 'inputs' ? rest : [root, ...rest]
  const index = last === undefined || last === '[*]' ? {} : { index: Number(last.slice(1, -1)) }
  return { text, segments, isWhole: last === '[*]', ...index }
}
