/** A QR code as one drawing: no picture is loaded, so the secret in it leaves the page nowhere. */
import { qrPathOf } from '@clockproof/platform/bytes/qr-code';
import { type ReactNode, useMemo } from 'react';

export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { size, path } = useMemo(() => qrPathOf(text), [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
