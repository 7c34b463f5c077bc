import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key)
}

function lineOf(node: unknown, lines: LineCounter): number {
  return lines.linePos((node as Node | null)?.range?.[0] ?? 0).line
}

/** kube-apiserver's message about duplicate keys, with their lines. */
export function describeDuplicateKeys(text: string): string {
  const lines = new LineCounter()
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (isSeq(node)) node.items.forEach(visit)
    if (!isMap(node)) return
    const seen = new Set<string>()
    for (const { key, value } of node.items) {
      const name = keyText(key)
      if (seen.has(name)) found.push(`  line ${lineOf(key, lines)}: key ${JSON.stringify(name)} already set in map`)
      seen.add(name)
      visit(value)
    }
  }
  visit(parseDocument(text, { uniqueKeys: false, merge: true, lineCounter: lines }).contents)
  return `error converting YAML to JSON: yaml: unmarshal errors:\n${found.join('\n')}`
}
