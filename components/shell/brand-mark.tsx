/** The brand: a head that steps up, the band under it, and the floor that follows. */
export function BrandMark() {
  return (
    <svg viewBox="0 0 18 18" width={18} height={18} aria-hidden="true">
      <path d="M1.5 8.5h4v-3h4v-3h7v6h-3.5v3h-4v3H1.5Z" fill="var(--accent)" fillOpacity={0.22} />
      <path d="M1.5 8.5h4v-3h4v-3h7" fill="none" stroke="var(--accent)" strokeWidth={1.8} />
      <path d="M1.5 14.5H9v-3h4v-3h3.5" fill="none" stroke="var(--text-3)" strokeWidth={1.4} />
    </svg>
  );
}
