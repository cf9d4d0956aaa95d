package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// RegisterKid64 makes IDs strings on a connection, and lists of them slices. With a pool, call it in AfterConnect.
func RegisterKid64(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	if err := conn.QueryRow(ctx, "SELECT 'kid64'::regtype::oid").Scan(&oid); err != nil {
		return err
	}
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "kid64", OID: oid, Codec: kid64Codec{}})
	array, err := conn.LoadType(ctx, "kid64[]")
	if err == nil {
		conn.TypeMap().RegisterType(array)
	}
	return err
}

// kid64Codec sends and receives text, except for CopyFrom, which is binary.
type kid64Codec struct{ pgtype.TextCodec }

func (kid64Codec) FormatSupported(format int16) bool { return format == pgtype.TextFormatCode }

func (kid64Codec) PreferredFormat() int16 { return pgtype.TextFormatCode }

func (codec kid64Codec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(string); ok && format == pgtype.BinaryFormatCode {
		return kid64Binary{}
	}
	return codec.TextCodec.PlanEncode(m, oid, format, value)
}

type kid64Binary struct{}

func (kid64Binary) Encode(value any, buf []byte) ([]byte, error) {
	const alphabet = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	var id uint64
	text := value.(string)
	for i := 0; i < len(text); i++ {
		digit := strings.IndexByte(alphabet, text[i])
		if digit < 0 || i > 10 {
			return nil, fmt.Errorf("not an ID: %q", text)
		}
		if i < 10 {
			id = id<<6 | uint64(digit)
		} else {
			// The last two of 66 bits are 0.
			id = id<<4 | uint64(digit)>>2
		}
	}
	if len(text) != 11 {
		return nil, fmt.Errorf("not an ID: %q", text)
	}
	return binary.BigEndian.AppendUint64(buf, id), nil
}
